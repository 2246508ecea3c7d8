package dev.heddle.compiler;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.codegen.cache.CompileCache;
import dev.heddle.compiler.spec.ModelGraph;
import dev.heddle.compiler.spec.SpecLibrary;
import dev.heddle.compiler.spec.TypeRecipe;
import dev.heddle.gguf.GgufFile;
import dev.heddle.gguf.Recipe;
import dev.heddle.ir.DType;
import dev.heddle.ir.bundle.Bundle;
import dev.heddle.ir.bundle.BundleContents;
import dev.heddle.ir.bundle.BundleReader;
import dev.heddle.ir.bundle.BundleWriter;
import dev.heddle.ir.bundle.Manifest;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.PlanKey.Rows;
import dev.heddle.passes.PassSelection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompilerTest {
  private static final Path MIXTURE = Path.of("..", "model-specs", "models", "tiny-qwen3moe.gguf");
  private static final CompileRequest SMALL =
      CompileRequest.jvm(256, "0.1.0")
          .withKeys(List.of(new PlanKey(Rows.STEP, 1, 1), new PlanKey(Rows.PROMPT, 512, 1)));

  @TempDir Path folder;

  @Test
  void aTrainedMixtureBecomesABundleThatOpens() {
    Path path = folder.resolve("mixture.bundle");
    ModelGraph model = mixture();
    BundleWriter.write(path, Compiler.compile(model, SMALL));

    Bundle bundle = BundleReader.open(path);
    Manifest manifest = bundle.manifest();

    assertEquals("qwen3moe", manifest.model());
    assertEquals(List.of("step-1", "prompt-512-1"), manifest.plans());
    assertEquals(List.of(), manifest.arithmetic());
    assertEquals(model.weights().size(), manifest.weights().size());
    assertEquals(2 * model.layers(), manifest.states().size());
    assertEquals(27 * model.layers() + 4, bundle.plan("step-1").steps().size());
    for (Manifest.Kernel kernel : manifest.kernels()) {
      assertTrue(
          bundle.kernelSource(kernel.name()).contains("implements JvmKernel"), kernel.name());
      assertTrue(bundle.kernelBinary(kernel.name()).length > 100, kernel.name());
    }
  }

  @Test
  void compilingTwiceGivesTheSameBundleAndTheSecondTimeStartsNoCompiler() throws Exception {
    CompileRequest cached = SMALL.withCache(new CompileCache(folder.resolve("cache")));
    BundleWriter.write(folder.resolve("a"), Compiler.compile(mixture(), cached));
    List<Path> entries = files(folder.resolve("cache"));
    BundleWriter.write(folder.resolve("b"), Compiler.compile(mixture(), cached));

    assertArrayEquals(
        Files.readAllBytes(folder.resolve("a")), Files.readAllBytes(folder.resolve("b")));
    assertEquals(entries, files(folder.resolve("cache")));
    assertTrue(entries.size() > 10, entries.toString());
  }

  @Test
  void int8ActivationsAreListedAsAChangeOfArithmetic() {
    BundleContents contents =
        Compiler.compile(mixture(), SMALL.withPasses(PassSelection.parse("+int8-activations")));

    assertEquals(
        List.of(
            "int8-activations changes results: products of int8 pairs need a quarter of the multiplies of f32 "
                + "(--passes=-int8-activations for the exact path)"),
        contents.manifest().arithmetic());
  }

  @Test
  void weightTypesWithoutAKernelAreCopiedAndNamedInTheReport() {
    CompileRequest request = SMALL;
    TypeRecipe types =
        (tensor, ne, layers, tied) ->
            tensor.contains("ffn_down")
                ? DType.Q5_1
                : TypeRecipe.uniform(DType.Q8_0).type(tensor, ne, layers, tied);
    ModelGraph model = Compiler.graph(SpecLibrary.require("qwen3"), "qwen3-0.6b", types, request);

    Report report = Report.of(model, Compiler.lower(model, request));

    assertEquals(28, report.copies().size());
    assertEquals(
        new Report.Copy("blk.0.ffn_down.weight", "q5_1", "f32", 4L * 1024 * 3072),
        report.copies().get(0));
    assertTrue(report.text().contains("28 tensors are dequantised when loaded"), report.text());
  }

  @Test
  void theReportCountsLaunchesWeightsAndMemory() {
    ModelGraph model = mixture235b();
    Report report = Report.of(model, Compiler.lower(model, SMALL));

    assertEquals(List.of(new Report.Layers(0, 93, 27)), report.launchesPerLayer());
    assertEquals(4, report.launchesOnceAStep());
    assertEquals(94 * 27 + 4, report.launches());
    assertEquals(94L * 2 * 4 * 128 * 2, report.kvBytesPerToken());
    assertEquals(
        List.of("q4_k", "q6_k", "f32"),
        report.weights().stream().map(Report.Stored::type).toList());
    assertTrue(report.json().contains("\"kvBytesPerToken\" : 192512"), report.json());
  }

  @Test
  void theLargestConfigBecomesABundleWithoutWeights() {
    BundleContents contents = Compiler.compile(mixture235b(), CompileRequest.jvm(512, "0.1.0"));

    assertEquals(9, contents.plans().size());
    assertEquals(
        contents.manifest().kernels().stream().map(Manifest.Kernel::name).distinct().count(),
        contents.kernels().size());
  }

  @Test
  void everyTextStageCanBeEmitted() {
    ModelGraph model = mixture();

    assertTrue(Emit.parse("graph").text(model, SMALL).startsWith("graph main\n"));
    assertTrue(Emit.parse("plan").text(model, SMALL).startsWith("plan step-1 arena "));
    assertTrue(Emit.parse("source").text(model, SMALL).contains("implements JvmKernel"));
    assertEquals(
        "--emit takes one of graph, plan, source, bundle, not 'binary'",
        assertThrows(IllegalArgumentException.class, () -> Emit.parse("binary")).getMessage());
  }

  private static ModelGraph mixture() {
    try (GgufFile file = GgufFile.open(MIXTURE)) {
      return Compiler.graph(file, SMALL);
    }
  }

  private static ModelGraph mixture235b() {
    return Compiler.graph(
        SpecLibrary.require("qwen3moe"), "qwen3-235b-a22b", TypeRecipe.of(Recipe.Q4_K_M), SMALL);
  }

  private static List<Path> files(Path folder) throws Exception {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }
}
