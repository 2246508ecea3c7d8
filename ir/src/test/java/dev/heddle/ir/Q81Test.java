package dev.heddle.ir;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class Q81Test {
  @Test
  void roundsHalvesAwayFromZero() {
    float[] x = new float[64];
    x[0] = 127;
    x[1] = 2.5f;
    x[2] = -2.5f;
    x[3] = 0.49f;
    x[4] = -126.6f;
    x[33] = -254; // d = 2
    x[34] = 3; // 1.5 -> 2
    MemorySegment out = MemorySegment.ofArray(new byte[84]);
    Q81.quantiseRow(x, 0, 64, out, 4);
    byte[] q = new byte[5];
    MemorySegment.copy(out, ValueLayout.JAVA_BYTE, 4, q, 0, 5);
    assertArrayEquals(new byte[] {127, 3, -3, 0, -127}, q);
    assertEquals(1, out.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 4 + 32));
    assertEquals(0, out.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 4 + 36)); // 127 + 3 - 3 + 0 - 127
    assertEquals(2, out.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 44 + 32));
    assertEquals(2 * (-127 + 2), out.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 44 + 36));
    float[] back = new float[64];
    Q81.dequantiseRow(out, 4, back, 0, 64);
    assertEquals(3, back[1]);
    assertEquals(-254, back[33]);
    assertEquals(4, back[34]);
  }

  @Test
  void keepsZerosShowsNanAndBoundsDenormals() {
    assertEquals(0f, Q81.scale(new float[32], 0));
    assertEquals(0, Q81.quantise(0, 0));
    float[] x = new float[32];
    x[7] = Float.NaN;
    assertTrue(Float.isNaN(Q81.scale(x, 0)));
    assertEquals(0, Q81.quantise(1, Float.NaN));
    assertEquals(0, Q81.quantise(1, Float.POSITIVE_INFINITY));
    assertEquals(127, Q81.quantise(180 * Float.MIN_VALUE, Float.MIN_VALUE));
  }
}
