package dev.heddle.codegen.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class VocabularyTest {
  private static final Path BODIES = Path.of("src/main/resources/dev/heddle/codegen/gpu/body");

  @Test
  void generatedBodiesUseOnlyTheVocabulary() {
    var dialect = new Dialect("none", "txt", "");
    for (var kind : KernelSamples.all()) {
      String text = GpuCodegen.generate(dialect, List.of(kind), KernelSamples.ONE_TOKEN).text();
      assertEquals(Optional.empty(), Vocabulary.stranger(text), () -> kind + ":\n" + text);
    }
  }

  @Test
  void wordsOfOneVendorAreStrangers() {
    assertEquals(
        Optional.of("threadIdx"),
        Vocabulary.stranger("KERNEL(a, 32)(const i32 *header) { i32 i = threadIdx.x; }"));
    assertEquals(
        Optional.of("__syncthreads"),
        Vocabulary.stranger("KERNEL(a, 32)(const i32 *header) { __syncthreads(); }"));
    assertEquals(
        Optional.of("expf"),
        Vocabulary.stranger(
            "KERNEL(a, 32)(f32 *y) { y[0] = exp_(fma_(y[1], expf(y[0]), 1.0f)); }"));
    assertEquals(
        Optional.of("float"),
        Vocabulary.stranger("KERNEL(a, 32)(f32 *y) { const float x = y[0]; }"));
    assertEquals(Optional.of("asm"), Vocabulary.stranger("KERNEL(a, 32)(f32 *y) { asm(0); }"));
    assertEquals(
        Optional.of("#"),
        Vocabulary.stranger("KERNEL(a, 32)(f32 *y) {\n#ifdef __gfx1100__\n#endif\n}"));
  }

  @Test
  void declaredNamesAndConstantsAreKnown() {
    String body =
        "#define N 4\nKERNEL(a, 32)(f32 *y, const f32 *x) { const i32 i = N, j = THREAD; for (u32 k = 0; k < 3; k++) y[i] = x[j]; }";
    assertEquals(Optional.empty(), Vocabulary.stranger(body));
  }

  @Test
  void templatesBranchAtMostThreeLevelsDeepAndSayWhatTheyCompute() throws IOException {
    try (Stream<Path> files = Files.list(BODIES)) {
      for (Path file : files.toList()) {
        int depth = 0;
        for (String part : Files.readString(file).split("(?=#(?:if|end))")) {
          depth += part.startsWith("#if") ? 1 : part.startsWith("#end") ? -1 : 0;
          assertTrue(depth <= 3, file + " branches " + depth + " levels deep");
        }
        assertEquals(0, depth, file.toString());
        if (!file.endsWith("matmul_end.vm")) {
          assertTrue(
              Files.readString(file).startsWith("/* "), file + " has no comment at its head");
        }
      }
    }
  }
}
