package dev.heddle.compiler.spec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.heddle.specs.BuiltinSpecs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BuiltinSpecsTest {
  private static final Path FOLDER = Path.of("../model-specs/src/main/resources/dev/heddle/specs");

  @Test
  void everySpecOfTheFolderIsListed() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      List<String> found = files.map(f -> f.getFileName().toString()).sorted().toList();
      assertEquals(
          found, BuiltinSpecs.names().stream().map(BuiltinSpecs::fileName).sorted().toList());
    }
  }

  @Test
  void everySpecDescribesTheArchitectureOfItsName() {
    assertEquals(BuiltinSpecs.names(), SpecLibrary.builtin().stream().map(Spec::model).toList());
  }

  @Test
  void wordsOfTheLanguageThatAreFreeElsewhereMayBeNames() {
    String text =
        "model weight\n"
            + "param model : int = 2\n"
            + "param role, of : int = model, model * 2\n"
            + "config \"c\" { config=3 }\n"
            + "param config : int = \"config\"\n"
            + "weight ignore : [model, of] = \"ignore.weight\"\n"
            + "def refuse(rows) = rows\n"
            + "graph main(ids, out_rows) {\n"
            + "  x = refuse(embed(ignore, ids))\n"
            + "  return take_rows(x, out_rows)\n"
            + "}\n";
    ModelGraph model = TestSpecs.compile(SpecParser.parse("free.model", text), "c");
    assertEquals(2, model.vocabulary());
    assertEquals(0, model.layers());
  }
}
