package dev.heddle.text;

import java.util.Arrays;

/**
 * Merges the bytes of a piece into tokens: always the pair of lowest rank, of equals the leftmost,
 * until none merges.
 *
 * <p>Parts are a linked list over arrays, candidate pairs a binary heap ordered by rank, then
 * position. A merge adds at most two candidates, so a piece of n bytes takes O(n log n), however
 * long: a line of 100 000 letters is no trap. One encoder belongs to one call, its arrays grow to
 * the longest piece.
 */
final class BytePairEncoder {
  private static final int DEAD = -1;

  private final MergeTable merges;
  private final int[] byteTokens;
  private int[] ids = new int[64];
  private int[] before = new int[64];
  private int[] after = new int[64];
  private long[] heap = new long[64];
  private int heapSize;
  private long candidates;

  /**
   * @param byteTokens the token of each byte, or -1
   */
  BytePairEncoder(MergeTable merges, int[] byteTokens) {
    this.merges = merges;
    this.byteTokens = byteTokens;
  }

  /** Pairs that were ever put on the heap: what encoding costs, apart from a logarithm. */
  long candidates() {
    return candidates;
  }

  /** Appends the tokens of {@code bytes}, at least one byte, each with a token of its own. */
  void encode(byte[] bytes, Ids out) {
    int n = bytes.length;
    reserve(n);
    for (int i = 0; i < n; i++) {
      ids[i] = byteTokens[bytes[i] & 0xFF];
      before[i] = i - 1;
      after[i] = i + 1;
    }
    after[n - 1] = DEAD;
    heapSize = 0;
    for (int i = 0; i + 1 < n; i++) {
      offer(i);
    }
    while (heapSize > 0) {
      long candidate = poll();
      int left = (int) candidate;
      int right = ids[left] == DEAD ? DEAD : after[left];
      if (right == DEAD) {
        continue;
      }
      long merge = merges.find(ids[left], ids[right]);
      // A rank belongs to one pair: another rank here means that one of the two has been merged
      // since.
      if (merge == MergeTable.NONE || merge >>> 32 != candidate >>> 32) {
        continue;
      }
      join(left, right, (int) merge);
    }
    for (int i = 0; i != DEAD; i = after[i]) {
      out.add(ids[i]);
    }
  }

  private void join(int left, int right, int merged) {
    ids[left] = merged;
    ids[right] = DEAD;
    after[left] = after[right];
    if (after[left] != DEAD) {
      before[after[left]] = left;
      offer(left);
    }
    if (before[left] != DEAD) {
      offer(before[left]);
    }
  }

  /** Puts the pair that begins at {@code left} on the heap, if it merges. */
  private void offer(int left) {
    long merge = merges.find(ids[left], ids[after[left]]);
    if (merge == MergeTable.NONE) {
      return;
    }
    candidates++;
    long key = merge & 0xFFFFFFFF00000000L | left;
    if (heapSize == heap.length) {
      heap = Arrays.copyOf(heap, heap.length * 2);
    }
    int at = heapSize++;
    while (at > 0 && heap[at - 1 >>> 1] > key) {
      heap[at] = heap[at - 1 >>> 1];
      at = at - 1 >>> 1;
    }
    heap[at] = key;
  }

  private long poll() {
    long least = heap[0];
    long last = heap[--heapSize];
    int at = 0;
    while (2 * at + 1 < heapSize) {
      int child = 2 * at + 1;
      if (child + 1 < heapSize && heap[child + 1] < heap[child]) {
        child++;
      }
      if (heap[child] >= last) {
        break;
      }
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = last;
    return least;
  }

  private void reserve(int n) {
    if (n > ids.length) {
      int size = Math.max(n, ids.length * 2);
      ids = new int[size];
      before = new int[size];
      after = new int[size];
    }
  }

  /** A growing list of ids, unboxed. */
  static final class Ids {
    private int[] values = new int[32];
    private int size;

    void add(int id) {
      if (size == values.length) {
        values = Arrays.copyOf(values, size * 2);
      }
      values[size++] = id;
    }

    int[] toArray() {
      return Arrays.copyOf(values, size);
    }
  }
}
