package dev.heddle.ir.plan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.heddle.ir.Op;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class RopeAnglesTest {
  private static final Op.RopeScaling NONE = new Op.RopeScaling.None();

  private static float[] row(RopeTable table, float[] factors, int position) {
    float[] out = new float[RopeAngles.rowFloats(table)];
    RopeAngles.fill(table, factors, position, 1, out, 0);
    return out;
  }

  @Test
  void turnsPairsByFallingFrequencies() {
    // base 100, 4 values: frequencies 1 and 0.1
    float[] expected = {
      (float) Math.cos(3), (float) Math.sin(3), (float) Math.cos(0.3), (float) Math.sin(0.3)
    };
    assertArrayEquals(expected, row(new RopeTable(4, 100, NONE, ""), null, 3), 1e-7f);
  }

  @Test
  void dividesByFactorsAndLeavesHugeOnesUnturned() {
    float[] expected = {(float) Math.cos(1.5), (float) Math.sin(1.5), 1, 0};
    assertArrayEquals(
        expected, row(new RopeTable(4, 100, NONE, "f"), new float[] {2, 1e30f}, 3), 1e-7f);
  }

  @Test
  void dividesAllAnglesByALinearFactor() {
    RopeTable table = new RopeTable(4, 100, new Op.RopeScaling.Linear(4), "");
    float[] expected = {
      (float) Math.cos(0.75),
      (float) Math.sin(0.75),
      (float) Math.cos(0.075),
      (float) Math.sin(0.075)
    };
    assertArrayEquals(expected, row(table, null, 3), 1e-7f);
  }

  @Test
  void blendsYarnBetweenFastAndSlowPairs() {
    // base 10000, 8 values, context 32768: the pair that turns 32 times is 2.21 -> low 2; once:
    // 3.72 -> high 4.
    // Pairs 0, 1, 2 keep their angle, pair 3 is half way: (1/4 + 1) / 2 = 0.625.
    RopeTable table = new RopeTable(8, 1e4, new Op.RopeScaling.Yarn(4, 32768, 1, 32, 1), "");
    double m = 1 + 0.1 * Math.log(4);
    assertEquals(1.1386294361119891, m, 1e-15);
    float[] row = row(table, null, 5);
    double[] angles = {5, 0.5, 0.05, 0.005 * 0.625};
    for (int i = 0; i < 4; i++) {
      assertEquals((float) (m * Math.cos(angles[i])), row[2 * i], 1e-6f, "pair " + i);
      assertEquals((float) (m * Math.sin(angles[i])), row[2 * i + 1], 1e-6f, "pair " + i);
    }
  }

  @Test
  void fillsManyPositionsAndNativeMemoryAlike() {
    RopeTable table = new RopeTable(6, 1e6, NONE, "");
    float[] out = new float[1 + 5 * 6];
    RopeAngles.fill(table, null, 7, 5, out, 1);
    float[] third = row(table, null, 9);
    for (int i = 0; i < 6; i++) {
      assertEquals(third[i], out[1 + 2 * 6 + i]);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment segment = arena.allocate(5 * 6 * 4);
      RopeAngles.fill(table, null, 7, 5, segment);
      for (int i = 0; i < 30; i++) {
        assertEquals(out[1 + i], segment.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * i));
      }
    }
  }
}
