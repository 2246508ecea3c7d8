package dev.heddle.runtime;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * How fast a team reads memory: the bound of decoding, taken beside every speed that is reported.
 */
public final class ReadBandwidth {
  private static final VectorSpecies<Long> SPECIES = LongVector.SPECIES_PREFERRED;
  private static final int VECTOR = SPECIES.vectorByteSize();

  private ReadBandwidth() {}

  /**
   * Reads a buffer with plain vector loads, every thread its range.
   *
   * @param bytes size of the buffer; take several times the last cache
   * @param repeats timed passes, of which the best counts
   * @return bytes a second
   */
  public static double measure(Team team, long bytes, int repeats) {
    long share = bytes / team.threads() / (4L * VECTOR) * (4L * VECTOR);
    long all = share * team.threads();
    try (var memory = new NativeMemory()) {
      MemorySegment buffer = memory.allocate(all, "measuring the read bandwidth");
      // Untouched pages are one shared page of zeros, which would be read from the cache.
      team.run(1, (stage, part, parts) -> buffer.asSlice(part * share, share).fill((byte) 0x5a));
      var sink = new AtomicLong();
      Team.Work pass = (stage, part, parts) -> sink.addAndGet(read(buffer, part * share, share));
      double best = 0;
      for (int i = 0; i < repeats + 2; i++) {
        long start = System.nanoTime();
        team.run(1, pass);
        double rate = all * 1e9 / (System.nanoTime() - start);
        // The first two passes run while the loop is compiled.
        best = i < 2 ? 0 : Math.max(best, rate);
      }
      return best;
    }
  }

  /** Flat on purpose: a vector that leaves a method is boxed. */
  private static long read(MemorySegment buffer, long from, long bytes) {
    LongVector a = LongVector.zero(SPECIES);
    LongVector b = a;
    LongVector c = a;
    LongVector d = a;
    ByteOrder order = ByteOrder.nativeOrder();
    for (long at = from; at < from + bytes; at += 4L * VECTOR) {
      a = a.lanewise(VectorOperators.XOR, LongVector.fromMemorySegment(SPECIES, buffer, at, order));
      b =
          b.lanewise(
              VectorOperators.XOR,
              LongVector.fromMemorySegment(SPECIES, buffer, at + VECTOR, order));
      c =
          c.lanewise(
              VectorOperators.XOR,
              LongVector.fromMemorySegment(SPECIES, buffer, at + 2L * VECTOR, order));
      d =
          d.lanewise(
              VectorOperators.XOR,
              LongVector.fromMemorySegment(SPECIES, buffer, at + 3L * VECTOR, order));
    }
    return a.lanewise(VectorOperators.XOR, b).lane(0) ^ c.lanewise(VectorOperators.XOR, d).lane(0);
  }
}
