package dev.heddle.compiler.spec;

import static org.junit.jupiter.api.Assertions.fail;

import dev.heddle.ir.DType;
import dev.heddle.specs.BuiltinSpecs;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Whatever is done to a spec, the answer is a graph or a {@link SpecException}. */
class MutationsTest {
  private static final long SEED = 20260101;
  private static final int MUTANTS = 4_000;
  private static final List<String> SPLICES =
      List.of(
          "(",
          ")",
          "{",
          "}",
          "[",
          "]",
          "\"",
          "=",
          "..",
          "?",
          ":",
          "-1",
          "0",
          "99999999999999999999",
          "1e400",
          "l",
          "L",
          "T",
          "blk",
          "none",
          "present(",
          "stack",
          "graph",
          "layer",
          " when ",
          " or ",
          "^",
          "%",
          "\u00e9",
          "\t",
          "rows 0 .. 4");

  @Test
  void mutatedSpecsGiveAGraphOrDiagnostics() {
    List<String> texts = new ArrayList<>();
    for (String name : BuiltinSpecs.names()) {
      String extra =
          name.equals("llama")
              ? TestSpecs.LLAMA
              : name.equals("qwen3") ? TestSpecs.QWEN3 : TestSpecs.QWEN3MOE;
      texts.add(BuiltinSpecs.text(name) + extra);
    }
    for (int i = 0; i < MUTANTS; i++) {
      SplittableRandom random = new SplittableRandom(SEED + i);
      String mutant = mutate(texts.get(random.nextInt(texts.size())), random);
      try {
        TestSpecs.compile(SpecParser.parse("mutant.model", mutant), "tiny");
      } catch (SpecException e) {
        if (e.getMessage().isBlank()) {
          fail("seed " + (SEED + i) + ": a fault without a sentence");
        }
      } catch (RuntimeException | StackOverflowError e) {
        fail("seed " + (SEED + i) + ": " + e, e);
      }
    }
  }

  private static String mutate(String text, SplittableRandom random) {
    StringBuilder b = new StringBuilder(text);
    int edits = 1 + random.nextInt(3);
    for (int i = 0; i < edits; i++) {
      int at = random.nextInt(b.length());
      switch (random.nextInt(5)) {
        case 0 -> b.deleteCharAt(at);
        case 1 -> b.insert(at, SPLICES.get(random.nextInt(SPLICES.size())));
        case 2 -> b.setCharAt(at, (char) (32 + random.nextInt(95)));
        case 3 -> b.delete(at, Math.min(b.length(), at + random.nextInt(40)));
        default -> {
          int from = random.nextInt(b.length());
          b.insert(at, b.substring(from, Math.min(b.length(), from + random.nextInt(60))));
        }
      }
    }
    return b.toString();
  }

  @Test
  void nestingIsLimited() {
    for (String open : List.of("(", "-", "[", "not ", "1 ? ")) {
      String text = "model m\nparam A : int = " + open.repeat(100_000) + "1";
      try {
        SpecParser.parse("deep.model", text);
        fail("a spec nested so deeply is refused");
      } catch (SpecException e) {
        if (!e.getMessage().contains("nested")) {
          fail(e.getMessage().substring(0, Math.min(200, e.getMessage().length())));
        }
      }
    }
    TestSpecs.compile(TestSpecs.spec("qwen3"), "tiny");
  }

  @Test
  void uniformRecipeKeepsOddRowsInF32() {
    if (TypeRecipe.uniform(DType.Q8_0).type("blk.0.ffn_up.weight", List.of(33L, 4L), 1, false)
        != DType.F32) {
      fail("33 values are no whole blocks");
    }
  }
}
