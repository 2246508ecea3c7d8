package dev.heddle.codegen.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.heddle.codegen.gpu.KernelCase.Expected;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.PlanKey.Rows;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every body on the host prelude against plain references, in both orders of threads, and once
 * under AddressSanitizer.
 */
@Tag("needs-g++")
class HostKernelsTest {
  private static final long SEED = 13;

  private static final double UNWRITTEN = Data.doubles(Data.unwritten(1))[0];

  /**
   * Three tokens of two sequences in a bucket of four; two of them want logits. Position 1250
   * spreads over all splits.
   */
  private static final Data.Step THREE =
      new Data.Step(
          new int[] {6, 0, 3},
          new int[] {1250, 0, 40},
          new int[] {1, 0, 2},
          new int[] {2, 0},
          scattered(3, 40));

  /** The step that GPU bundles are made for; nobody wants logits. */
  private static final Data.Step ONE =
      new Data.Step(new int[] {5}, new int[] {77}, new int[] {1}, new int[] {}, scattered(2, 4));

  @Test
  void everyBodyComputesItsKindForABucketOfFour() throws IOException {
    verify(THREE, new PlanKey(Rows.STEP, 4, 4));
  }

  @Test
  void everyBodyComputesItsKindForOneTokenWithoutLogits() throws IOException {
    verify(ONE, new PlanKey(Rows.STEP, 1, 1));
  }

  private static void verify(Data.Step step, PlanKey key) throws IOException {
    var cases = new Cases(SEED, key, step);
    RowCases.addTo(cases);
    ProductCases.addTo(cases);
    ElementCases.addTo(cases);
    SequenceCases.addTo(cases);
    RankCases.addTo(cases);
    List<KernelCase> all = cases.all();
    try (var host = new HostRun(all, key)) {
      Path plain = host.program("plain", List.of("-Wall", "-Werror"));
      List<byte[]> forward = host.run(plain, false);
      List<String> faults = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        check(all.get(i), forward.get(i), faults);
      }
      if (!faults.isEmpty()) {
        fail("seed " + SEED + ":\n" + String.join("\n", faults));
      }
      assertSame(all, forward, host.run(plain, true), "threads from last to first");
      Path checked =
          host.program(
              "checked",
              List.of("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"));
      assertSame(all, forward, host.run(checked, true), "under AddressSanitizer");
    }
  }

  private static void assertSame(
      List<KernelCase> cases, List<byte[]> expected, List<byte[]> actual, String how) {
    for (int i = 0; i < cases.size(); i++) {
      String what = cases.get(i).name() + " " + how;
      switch (cases.get(i).expected()) {
        case Expected.Bytes bytes -> assertArrayEquals(expected.get(i), actual.get(i), what);
        // doubles compare by value and by the sign of zero, but not by the payload of a NaN, which
        // may differ
        case Expected.Floats floats ->
            assertArrayEquals(Data.doubles(expected.get(i)), Data.doubles(actual.get(i)), what);
      }
    }
  }

  private static void check(KernelCase c, byte[] actual, List<String> faults) {
    switch (c.expected()) {
      case Expected.Bytes bytes -> {
        int at = java.util.Arrays.mismatch(bytes.values(), actual);
        if (at >= 0) {
          faults.add(
              c.name() + ": byte " + at + " is " + actual[at] + ", not " + bytes.values()[at]);
        }
      }
      case Expected.Floats floats -> {
        double[] values = Data.doubles(actual);
        assertEquals(floats.values().length, values.length, c.name());
        double most = 0;
        for (double value : floats.values()) {
          most =
              Double.isFinite(value) && value != UNWRITTEN ? Math.max(most, Math.abs(value)) : most;
        }
        for (int i = 0; i < values.length; i++) {
          double expected = floats.values()[i];
          double tolerance = expected == UNWRITTEN ? 0 : floats.tolerance() * most;
          boolean isSame =
              Double.compare(values[i], expected) == 0
                  || Math.abs(values[i] - expected) <= tolerance;
          if (!isSame) {
            faults.add(
                c.name()
                    + ": value "
                    + i
                    + " is "
                    + values[i]
                    + ", not "
                    + expected
                    + " (largest "
                    + most
                    + ")");
            return;
          }
        }
      }
    }
  }

  /** Block tables that share out a pool at random. */
  private static int[][] scattered(int slots, int perSlot) {
    List<Integer> blocks = new ArrayList<>();
    for (int i = 0; i < slots * perSlot; i++) {
      blocks.add(i);
    }
    Collections.shuffle(blocks, new Random(SEED));
    int[][] tables = new int[slots][perSlot];
    for (int i = 0; i < blocks.size(); i++) {
      tables[i / perSlot][i % perSlot] = blocks.get(i);
    }
    return tables;
  }
}
