package dev.heddle.text;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BytePairEncoderTest {

  @Test
  void mergesTheLowestRankFirstAndOfEqualsTheLeftmost() {
    Vocabulary vocabulary =
        new SmallVocabulary().merge("b", "c").merge("a", "b").merge("a", "a").vocabulary();
    assertArrayEquals(new int[] {'a', 256}, encode(vocabulary, "abc"));
    assertArrayEquals(new int[] {257, 'd'}, encode(vocabulary, "abd"));
    assertArrayEquals(new int[] {258, 'a'}, encode(vocabulary, "aaa"));
    assertArrayEquals(new int[] {'x'}, encode(vocabulary, "x"));
  }

  @Test
  void usesAMergedTokenInFurtherMerges() {
    Vocabulary vocabulary =
        new SmallVocabulary().merge("a", "b").merge("ab", "ab").merge("abab", "c").vocabulary();
    assertArrayEquals(new int[] {258, 256, 'x'}, encode(vocabulary, "ababcabx"));
  }

  @Test
  void countsAPairListedTwiceByItsEarlierRank() {
    Vocabulary vocabulary =
        new SmallVocabulary().merge("a", "b").merge("b", "c").merge("a", "b").vocabulary();
    assertArrayEquals(new int[] {256, 'c'}, encode(vocabulary, "abc"));
  }

  @Test
  void agreesWithMergingByRepeatedSearchOnRandomMergesAndTexts() {
    for (long seed = 1; seed <= 60; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      SmallVocabulary small = new SmallVocabulary();
      List<String> parts = new ArrayList<>(List.of("a", "b", "c", "d"));
      for (int i = 0; i < 30; i++) {
        String left = parts.get(random.nextInt(parts.size()));
        String right = parts.get(random.nextInt(parts.size()));
        small.merge(left, right);
        parts.add(left + right);
      }
      Vocabulary vocabulary = small.vocabulary();
      for (int length = 1; length < 200; length += 1 + length / 4) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
          text.append((char) ('a' + random.nextInt(4)));
        }
        assertArrayEquals(
            bySearch(vocabulary, text.toString()),
            encode(vocabulary, text.toString()),
            "seed " + seed + ": " + text);
      }
    }
  }

  @Test
  void considersAtMostThreePairsAByteHoweverLongThePiece() {
    Tokenizer tokenizer = TestData.qwen3("qwen2");
    SplittableRandom random = new SplittableRandom(12);
    StringBuilder letters = new StringBuilder();
    for (int i = 0; i < 100_000; i++) {
      letters.append((char) ('a' + random.nextInt(26)));
    }
    for (String text :
        List.of(
            letters.toString(),
            "a".repeat(100_000),
            " ".repeat(100_000),
            "=".repeat(100_000),
            "\n".repeat(100_000))) {
      BytePairEncoder encoder = tokenizer.encoder();
      int[] ids = tokenizer.encode(text, new BitSet(), encoder);
      assertTrue(
          encoder.candidates() <= 3L * text.length(), "pairs considered: " + encoder.candidates());
      assertTrue(ids.length < text.length());
      assertEquals(text, tokenizer.decode(ids, true));
    }
  }

  private static int[] encode(Vocabulary vocabulary, String text) {
    BytePairEncoder.Ids out = new BytePairEncoder.Ids();
    Tokenizer.of(vocabulary).encoder().encode(text.getBytes(StandardCharsets.UTF_8), out);
    return out.toArray();
  }

  private static int[] bySearch(Vocabulary vocabulary, String text) {
    Map<String, Integer> ranks = new HashMap<>();
    for (int i = 0; i < vocabulary.merges().size(); i++) {
      ranks.putIfAbsent(vocabulary.merges().get(i), i);
    }
    List<String> parts = new ArrayList<>(List.of(text.split("")));
    while (true) {
      int best = -1;
      int bestRank = Integer.MAX_VALUE;
      for (int i = 0; i + 1 < parts.size(); i++) {
        int rank = ranks.getOrDefault(parts.get(i) + " " + parts.get(i + 1), Integer.MAX_VALUE);
        if (rank < bestRank) {
          best = i;
          bestRank = rank;
        }
      }
      if (best < 0) {
        return parts.stream().mapToInt(vocabulary.tokens()::indexOf).toArray();
      }
      parts.set(best, parts.get(best) + parts.remove(best + 1));
    }
  }
}
