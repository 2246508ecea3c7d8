package dev.heddle.text;

import dev.heddle.gguf.GgufException;
import java.util.Arrays;
import java.util.List;

/**
 * Which pairs of tokens merge, how early, and into what: an open-addressed table from a pair of ids
 * to a rank and an id. A map of boxed keys would take several times the space for the 280 000
 * merges of a real vocabulary, and every lookup of encoding lands here.
 */
final class MergeTable {
  /** What {@link #find} gives for a pair that does not merge. */
  static final long NONE = -1;

  private final long[] pairs;
  private final long[] merged;

  private MergeTable(int merges) {
    // At most half full, so that a search for an absent pair stays short.
    int slots = Integer.highestOneBit(Math.max(8, merges) * 2 - 1) * 2;
    pairs = new long[slots];
    merged = new long[slots];
    Arrays.fill(pairs, NONE);
  }

  /** The merges of {@code vocabulary}, whose entries {@code tokens} finds by spelling. */
  static MergeTable of(Vocabulary vocabulary, TokenTable tokens) {
    List<String> merges = vocabulary.merges();
    MergeTable table = new MergeTable(merges.size());
    for (int rank = 0; rank < merges.size(); rank++) {
      String merge = merges.get(rank);
      int space = merge.indexOf(' ', 1);
      if (space < 0 || space == merge.length() - 1) {
        throw broken(vocabulary, rank, "is no pair parted by a space");
      }
      String left = merge.substring(0, space);
      String right = merge.substring(space + 1);
      Integer leftId = tokens.id(left);
      Integer rightId = tokens.id(right);
      Integer result = tokens.id(left + right);
      if (leftId == null || rightId == null || result == null) {
        throw broken(vocabulary, rank, "names a token that tokenizer.ggml.tokens lacks");
      }
      table.put(leftId, rightId, rank, result);
    }
    return table;
  }

  private static GgufException broken(Vocabulary vocabulary, int rank, String fault) {
    return new GgufException(
        vocabulary.source()
            + ": entry "
            + rank
            + " of tokenizer.ggml.merges "
            + fault
            + "; convert the model again");
  }

  private void put(int left, int right, int rank, int result) {
    long pair = pair(left, right);
    int slot = slot(pair);
    while (pairs[slot] != NONE) {
      if (pairs[slot] == pair) {
        return; // the same pair again: the earlier rank counts
      }
      slot = slot + 1 & pairs.length - 1;
    }
    pairs[slot] = pair;
    merged[slot] = pair(rank, result);
  }

  /**
   * The rank (upper 32 bits) and the merged token (lower 32 bits) of a pair of ids, or {@link
   * #NONE}.
   */
  long find(int left, int right) {
    long pair = pair(left, right);
    int slot = slot(pair);
    while (pairs[slot] != pair) {
      if (pairs[slot] == NONE) {
        return NONE;
      }
      slot = slot + 1 & pairs.length - 1;
    }
    return merged[slot];
  }

  private int slot(long pair) {
    // Fibonacci hashing: 2^64 / golden ratio spreads neighbouring ids over the table.
    return (int) (pair * 0x9E3779B97F4A7C15L >>> 33) & pairs.length - 1;
  }

  private static long pair(int upper, int lower) {
    return (long) upper << 32 | lower;
  }
}
