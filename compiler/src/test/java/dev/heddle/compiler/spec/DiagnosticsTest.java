package dev.heddle.compiler.spec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.DType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a user reads after a mistake. diagnostics.txt holds edits of the README's spec ("--- OLD =>
 * NEW") and the whole answer.
 */
class DiagnosticsTest {
  private static final Path FOLDER = Path.of("src/test/resources/dev/heddle/compiler/spec");

  private record Mistake(List<String> edits, String answer) {
    @Override
    public String toString() {
      return String.join(" => ", edits);
    }
  }

  static List<Mistake> mistakes() throws IOException {
    List<Mistake> list = new ArrayList<>();
    for (String section : Files.readString(FOLDER.resolve("diagnostics.txt")).split("(?m)^--- ")) {
      if (!section.isEmpty()) {
        int end = section.indexOf('\n');
        list.add(
            new Mistake(
                List.of(section.substring(0, end).split(" => ", -1)),
                section.substring(end + 1).stripTrailing()));
      }
    }
    return list;
  }

  private static String tutorial() throws IOException {
    Matcher block =
        Pattern.compile("```model\\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("../model-specs/README.md")));
    assertTrue(block.find());
    return block.group(1);
  }

  private static SpecException fault(String text) {
    return assertThrows(
        SpecException.class,
        () ->
            SpecCompiler.compile(
                SpecParser.parse("my.model", text),
                "pebble-tiny",
                TypeRecipe.uniform(DType.F16),
                CompileOptions.DEFAULT));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void mistakeIsAnsweredAsRecorded(Mistake mistake) throws IOException {
    String text = tutorial();
    for (int i = 0; i + 1 < mistake.edits().size(); i += 2) {
      assertTrue(
          text.contains(mistake.edits().get(i)),
          "the README has no '" + mistake.edits().get(i) + "'");
      text = text.replace(mistake.edits().get(i), mistake.edits().get(i + 1).replace("\\n", "\n"));
    }
    assertEquals(mistake.answer(), fault(text).getMessage());
  }

  @Test
  void parsingGoesOnAfterAFault() throws IOException {
    SpecException e = fault(Files.readString(FOLDER.resolve("many-faults.model")));
    String expected =
        """
        2:1 a declaration is expected (param, config, weight, weights, ignore, refuse, state, def, layer, graph), not 'parm' (did you mean 'param'?)
        3:9 ',' or ':' is expected after 'L', not 'int'
        4:51 an expression is expected after '>'
        5:41 ')' is expected after '"token_embd.weight"'
        7:40 a declaration is expected (param, config, weight, weights, ignore, refuse, state, def, layer, graph), not '.'
        9:19 '=' is expected after ']', not '"attn_norm.weight"'
        10:39 ':' is expected after 'optinal' (did you mean 'optional'?)
        12:47 ')' is expected after '1e-6'
        15:5 '=' cannot stand here after 'z'
        20:10 '=' is expected after 'retrun', not 'logits' (did you mean 'return'?)
        """;
    StringBuilder found = new StringBuilder();
    e.diagnostics()
        .forEach(d ->
            found.append(d.span().line() + ":" + d.span().column() + " " + d.message() + "\n"));
    assertEquals(expected, found.toString());
  }

  @Test
  void atMostTwentyFaultsAreReported() {
    StringBuilder text = new StringBuilder("model m\n");
    for (int i = 0; i < 50; i++) {
      text.append("param a").append(i).append(" int = 1\n");
    }
    SpecException e = fault(text.toString());
    assertEquals(20, e.diagnostics().size());
    assertTrue(e.getMessage().endsWith("\n20 errors (stopped there)"));
  }

  @Test
  void caretStandsUnderTabsAndAtTheEnd() {
    SpecException e = fault("model m\n\tparam\tx : int = 1 +");
    assertEquals(
        "my.model:2:21: error: an expression is expected after '+'\n  2 | \tparam\tx : int = 1 +\n    | \t     \t             ^",
        e.getMessage());
  }

  @Test
  void unreadableFileIsOneSentence() {
    SpecException e =
        assertThrows(SpecException.class, () -> SpecLibrary.load(Path.of("no-such.model")));
    assertEquals(
        "no-such.model cannot be read (NoSuchFileException): check the path", e.getMessage());
  }
}
