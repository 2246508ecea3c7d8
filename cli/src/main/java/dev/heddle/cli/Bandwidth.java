package dev.heddle.cli;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorSpecies;

/** How fast this machine reads memory with all its cores: the ceiling of decoding, which reads every active weight once a token. */
final class Bandwidth {
  private static final long BYTES_A_THREAD = 96L << 20;
  private static final int ROUNDS = 4;
  private static final VectorSpecies<Integer> SPECIES = IntVector.SPECIES_PREFERRED;

  private Bandwidth() {}

  /** Bytes a second, the best of a few rounds over a buffer that no cache holds; takes about a tenth of a second. */
  static double measure(int threads) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment[] parts = new MemorySegment[threads];
      runAll(
          threads,
          i -> {
            parts[i] = arena.allocate(BYTES_A_THREAD, 64);
            parts[i].fill((byte) 1);
          });
      long[] sums = new long[threads];
      double best = 0;
      for (int round = 0; round < ROUNDS; round++) {
        long from = System.nanoTime();
        runAll(threads, i -> sums[i] += sum(parts[i]));
        best = Math.max(best, (double) threads * BYTES_A_THREAD / (System.nanoTime() - from) * 1e9);
      }
      return best;
    }
  }

  private static long sum(MemorySegment part) {
    IntVector a = IntVector.zero(SPECIES);
    IntVector b = a;
    IntVector c = a;
    IntVector d = a;
    long step = SPECIES.vectorByteSize();
    for (long at = 0; at + 4 * step <= part.byteSize(); at += 4 * step) {
      a = a.add(IntVector.fromMemorySegment(SPECIES, part, at, ByteOrder.nativeOrder()));
      b = b.add(IntVector.fromMemorySegment(SPECIES, part, at + step, ByteOrder.nativeOrder()));
      c = c.add(IntVector.fromMemorySegment(SPECIES, part, at + 2 * step, ByteOrder.nativeOrder()));
      d = d.add(IntVector.fromMemorySegment(SPECIES, part, at + 3 * step, ByteOrder.nativeOrder()));
    }
    return a.add(b).add(c.add(d)).lane(0);
  }

  private static void runAll(int threads, java.util.function.IntConsumer work) {
    Thread[] team = new Thread[threads];
    for (int i = 0; i < threads; i++) {
      int part = i;
      team[i] = Thread.ofPlatform().start(() -> work.accept(part));
    }
    for (Thread thread : team) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while measuring", e);
      }
    }
  }
}
