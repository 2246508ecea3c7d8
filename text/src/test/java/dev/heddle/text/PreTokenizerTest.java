package dev.heddle.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PreTokenizerTest {

  @Test
  void splitsDigitsInThreesForLlamaAndOneByOneForQwen() {
    assertEquals(List.of("in", " ", "202", "6"), pieces(PreTokenizer.LLAMA_BPE, "in 2026"));
    assertEquals(List.of("in", " ", "2", "0", "2", "6"), pieces(PreTokenizer.QWEN2, "in 2026"));
    assertEquals(List.of("in", " ", "2", "0", "2", "6"), pieces(PreTokenizer.QWEN35, "in 2026"));
  }

  @Test
  void keepsCombiningMarksInsideWordsForQwen35Only() {
    String hindi = "\u0939\u093f\u0928\u094d\u0926\u0940";
    assertEquals(List.of(hindi), pieces(PreTokenizer.QWEN35, hindi));
    assertEquals(
        List.of("\u0939", "\u093f\u0928", "\u094d\u0926", "\u0940"),
        pieces(PreTokenizer.QWEN2, hindi));
  }

  @Test
  void partsContractionsInEitherCaseButNotWithALongS() {
    assertEquals(List.of("it", "'s", " I", "'LL"), pieces(PreTokenizer.QWEN2, "it's I'LL"));
    assertEquals(List.of("it", "'\u017fa"), pieces(PreTokenizer.QWEN2, "it'\u017fa"));
    assertEquals(List.of("it", "'s", "a"), pieces(PreTokenizer.QWEN2, "it'sa"));
  }

  @Test
  void takesWhiteSpaceAsUnicodeDoes() {
    assertEquals(List.of(" ", "\u3000x"), pieces(PreTokenizer.QWEN2, " \u3000x"));
    assertEquals(List.of("a", "\u0085", "\u0085b"), pieces(PreTokenizer.QWEN2, "a\u0085\u0085b"));
    // U+180E, U+200B and U+FEFF are no white space.
    assertEquals(
        List.of("a", "\u180e\u200b\ufeff"), pieces(PreTokenizer.QWEN2, "a\u180e\u200b\ufeff"));
  }

  @Test
  void leavesTheLastSpaceToTheNextWordAndKeepsLineFeedsTogether() {
    assertEquals(
        List.of("a", "  ", " b", " \n\n", "c", "  "),
        pieces(PreTokenizer.LLAMA_BPE, "a   b \n\nc  "));
  }

  @ParameterizedTest
  @EnumSource
  void piecesTogetherAreTheText(PreTokenizer pre) {
    int[] codePoints = {
      ' ', ' ', '\n', '\r', '\t', '\'', 's', 'L', '7', 0xBD, '.', 0x300, 0x85, 0x3000, 0x4E2D,
      0x1F98A, 0xE000, 0x10FFFF
    };
    for (long seed = 1; seed <= 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      StringBuilder text = new StringBuilder();
      random
          .ints(random.nextInt(60), 0, codePoints.length)
          .forEach(i -> text.appendCodePoint(codePoints[i]));
      assertEquals(text.toString(), String.join("", pieces(pre, text.toString())), "seed " + seed);
    }
  }

  @Test
  void isFoundByAnyOfItsNames() {
    assertEquals(Optional.of(PreTokenizer.LLAMA_BPE), PreTokenizer.of("llama3"));
    assertEquals(Optional.of(PreTokenizer.LLAMA_BPE), PreTokenizer.of("llama-v3"));
    assertEquals(Optional.of(PreTokenizer.QWEN35), PreTokenizer.of("qwen35"));
    assertEquals(Optional.empty(), PreTokenizer.of("tekken"));
  }

  private static List<String> pieces(PreTokenizer pre, String text) {
    List<String> pieces = new ArrayList<>();
    pre.split(text, pieces::add);
    return pieces;
  }
}
