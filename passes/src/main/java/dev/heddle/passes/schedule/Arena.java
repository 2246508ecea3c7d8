package dev.heddle.passes.schedule;

import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Free ranges of an arena that grows at its end. A request takes the smallest free range that holds
 * it; neighbours are joined when a range is given back. Both cost the logarithm of the number of
 * free ranges.
 */
final class Arena {
  /** Offsets are whole cache lines: kernels may use aligned vectors of any width up to 512 bits. */
  static final long ALIGNMENT = 64;

  private record Range(long offset, long bytes) {}

  private final TreeMap<Long, Range> byOffset = new TreeMap<>();
  private final TreeSet<Range> bySize =
      new TreeSet<>(Comparator.comparingLong(Range::bytes).thenComparingLong(Range::offset));
  private long size;

  long size() {
    return size;
  }

  /** The offset of {@code bytes} bytes. */
  long take(long bytes) {
    long need = aligned(bytes);
    Range best = bySize.ceiling(new Range(0, need));
    if (best == null) {
      return grow(need);
    }
    remove(best);
    if (best.bytes > need) {
      add(new Range(best.offset + need, best.bytes - need));
    }
    return best.offset;
  }

  /** Returns what {@link #take} gave. */
  void give(long offset, long bytes) {
    Range range = new Range(offset, aligned(bytes));
    Map.Entry<Long, Range> before = byOffset.lowerEntry(offset);
    if (before != null && before.getValue().offset + before.getValue().bytes == offset) {
      remove(before.getValue());
      range = new Range(before.getValue().offset, before.getValue().bytes + range.bytes);
    }
    Range after = byOffset.get(range.offset + range.bytes);
    if (after != null) {
      remove(after);
      range = new Range(range.offset, range.bytes + after.bytes);
    }
    add(range);
  }

  private long grow(long need) {
    Map.Entry<Long, Range> end = byOffset.lastEntry();
    long offset = size;
    if (end != null && end.getValue().offset + end.getValue().bytes == size) {
      offset = end.getKey();
      remove(end.getValue());
    }
    size = Math.addExact(offset, need);
    return offset;
  }

  private void add(Range range) {
    byOffset.put(range.offset, range);
    bySize.add(range);
  }

  private void remove(Range range) {
    byOffset.remove(range.offset);
    bySize.remove(range);
  }

  private static long aligned(long bytes) {
    return (Math.max(bytes, 1) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }
}
