package dev.heddle.compiler.spec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.DType;
import dev.heddle.ir.Verifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ExamplesTest {
  private static final Path FOLDER = Path.of("src/test/resources/dev/heddle/compiler/spec");

  @Test
  void tutorialOfTheReadmeCompiles() throws IOException {
    String readme = Files.readString(Path.of("../model-specs/README.md"));
    Matcher block = Pattern.compile("```model\\n(.*?)```", Pattern.DOTALL).matcher(readme);
    assertTrue(block.find());
    String text = block.group(1);
    assertTrue(text.lines().count() < 60, text.lines().count() + " lines");
    ModelGraph model =
        SpecCompiler.compile(
            SpecParser.parse("pebble.model", text),
            "pebble-tiny",
            TypeRecipe.uniform(DType.F16),
            CompileOptions.DEFAULT);
    Verifier.verify(model.main());
    assertEquals(256, model.vocabulary());
    String upp = text.replace("matmul(blk.up,", "matmul(blk.upp,");
    SpecException e =
        assertThrows(
            SpecException.class,
            () ->
                SpecCompiler.compile(
                    SpecParser.parse("pebble.model", upp),
                    "pebble-tiny",
                    TypeRecipe.uniform(DType.F16),
                    CompileOptions.DEFAULT));
    assertEquals(
        "no weight named 'upp' in 'blk' (did you mean 'up'?)", e.diagnostics().get(0).message());
  }

  @Test
  void shortFormOfQwen3Compiles() {
    Spec spec = SpecLibrary.load(FOLDER.resolve("qwen3-example.model"));
    assertEquals(596_049_920, TestSpecs.compile(spec, "qwen3-0.6b").parameters());
  }

  @Test
  void specWithOpsToComeParsesAndNamesThem() {
    Spec spec = SpecLibrary.load(FOLDER.resolve("qwen35moe-example.model"));
    assertEquals(2, spec.graphs().size());
    SpecException e =
        assertThrows(SpecException.class, () -> TestSpecs.compile(spec, "qwen3.6-35b-a3b"));
    assertEquals("op 'conv1d' is not known", e.diagnostics().get(0).message());
  }
}
