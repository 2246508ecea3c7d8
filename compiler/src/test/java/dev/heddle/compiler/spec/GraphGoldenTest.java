package dev.heddle.compiler.spec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.DType;
import dev.heddle.ir.GraphText;
import dev.heddle.ir.Verifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Graphs of tiny configs as text. After a wanted change: {@code mvn test -pl compiler -am
 * -Dupdate.golden=true}, then read the diff.
 */
class GraphGoldenTest {
  private static final Path FOLDER = Path.of("src/test/resources/dev/heddle/compiler/spec/golden");

  @ParameterizedTest
  @CsvSource({"llama, tiny", "llama, tiny-moe", "qwen3, tiny", "qwen3moe, tiny"})
  void graphIsAsRecorded(String name, String config) throws IOException {
    ModelGraph model = TestSpecs.compile(TestSpecs.spec(name), config);
    Verifier.verify(model.main());
    String text = GraphText.print(model.main());
    Path golden = FOLDER.resolve(name + "-" + config + ".graph");
    if (Boolean.getBoolean("update.golden")) {
      Files.createDirectories(FOLDER);
      Files.writeString(golden, text);
    }
    assertEquals(Files.readString(golden), text);
    assertEquals(text, GraphText.print(GraphText.parse(text)));
  }

  @Test
  void nodesKnowTheirLineAndTheirCaller() {
    ModelGraph model = TestSpecs.compile(TestSpecs.spec("qwen3"), "tiny");
    String norm =
        GraphText.print(model.main())
            .lines()
            .filter(l -> l.contains("= rms_norm"))
            .findFirst()
            .orElseThrow();
    assertTrue(
        norm.matches(
            ".*; layer 0 attn  qwen3\\.model:\\d+:\\d+ from qwen3\\.model:\\d+:\\d+ from qwen3\\.model:\\d+:\\d+"),
        norm);
  }

  @Test
  void capturesLeaveTheGraphOnlyWhenAskedFor() {
    Spec spec = TestSpecs.spec("qwen3");
    CompileOptions asked = CompileOptions.DEFAULT.withCaptures(Set.of("hidden[1]"));
    ModelGraph model = SpecCompiler.compile(spec, "tiny", TypeRecipe.uniform(DType.F32), asked);
    assertTrue(model.main().output("hidden[1]").isPresent());
    assertTrue(model.main().output("hidden[0]").isEmpty());
    assertTrue(TestSpecs.compile(spec, "tiny").main().output("hidden[1]").isEmpty());
  }
}
