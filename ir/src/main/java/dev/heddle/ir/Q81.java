package dev.heddle.ir;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The one definition of {@link DType#Q8_1} rows. A block of 32 values in f32 arithmetic: {@code d =
 * max|x| / 127}, {@code q} the integer nearest {@code x / d}, halves away from zero (the integer
 * part of {@code |x / d| + 0.5}), {@code s = d * sum q}. A product with such a row is exactly a
 * product with the dequantised row {@code d q}.
 *
 * <p>A block of zeros has d = 0 and q = 0; so has one whose d rounds to zero. A block with a NaN or
 * an infinity dequantises to NaN.
 */
public final class Q81 {
  /** Values of a block. */
  public static final int BLOCK = 32;

  /** Byte offset of d in a block. */
  public static final int D_OFFSET = 32;

  /** Byte offset of s in a block. */
  public static final int S_OFFSET = 36;

  private static final int BLOCK_BYTES = 40;

  private Q81() {}

  /** The scale d of the block at {@code from}. */
  public static float scale(float[] x, int from) {
    float most = 0;
    for (int i = 0; i < BLOCK; i++) {
      most = Math.max(most, Math.abs(x[from + i])); // Math.max lets a NaN through
    }
    return most / 127f;
  }

  /** The integer of {@code x} in a block of scale {@code d}: -127 .. 127. */
  public static int quantise(float x, float d) {
    if (!(d > 0 && d < Float.POSITIVE_INFINITY)) {
      return 0;
    }
    float ratio = x / d;
    int q = (int) (Math.abs(ratio) + 0.5f);
    // a denormal d is too coarse for its own largest value
    return Math.min(q, 127) * (ratio < 0 ? -1 : 1);
  }

  /**
   * Writes {@code n} values as blocks of 40 bytes in native byte order, from byte {@code at}; n is
   * a multiple of 32.
   */
  public static void quantiseRow(float[] x, int from, int n, MemorySegment out, long at) {
    for (int b = 0; b < n / BLOCK; b++) {
      int first = from + b * BLOCK;
      long block = at + (long) b * BLOCK_BYTES;
      float d = scale(x, first);
      int sum = 0;
      for (int i = 0; i < BLOCK; i++) {
        int q = quantise(x[first + i], d);
        sum += q;
        out.set(ValueLayout.JAVA_BYTE, block + i, (byte) q);
      }
      out.set(ValueLayout.JAVA_FLOAT_UNALIGNED, block + D_OFFSET, d);
      out.set(ValueLayout.JAVA_FLOAT_UNALIGNED, block + S_OFFSET, d * sum);
    }
  }

  /** Reads {@code n} values from blocks that begin at byte {@code at}. */
  public static void dequantiseRow(MemorySegment in, long at, float[] x, int from, int n) {
    for (int i = 0; i < n; i++) {
      long block = at + (long) (i / BLOCK) * BLOCK_BYTES;
      x[from + i] =
          in.get(ValueLayout.JAVA_FLOAT_UNALIGNED, block + D_OFFSET)
              * in.get(ValueLayout.JAVA_BYTE, block + i % BLOCK);
    }
  }
}
