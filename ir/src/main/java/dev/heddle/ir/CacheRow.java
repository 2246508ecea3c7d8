package dev.heddle.ir;

import java.util.function.DoubleUnaryOperator;

/** Rounding of a row to a cache's element type: the values that are read back. */
final class CacheRow {
  private static final int BLOCK = 32;

  private CacheRow() {}

  static double[] convert(DType type, double[] row) {
    return switch (type) {
      case F32 -> each(row, x -> (float) x);
      case F16 -> each(row, x -> Float.float16ToFloat(Float.floatToFloat16((float) x)));
      case BF16 -> each(row, x -> bf16((float) x));
      case Q8_0 -> q8_0(row);
      case Q4_0 -> q4_0(row);
      default ->
          throw new GraphException(
              "a state holds f32, f16, bf16, q8_0 or q4_0, not " + type.text());
    };
  }

  private static double[] each(double[] row, DoubleUnaryOperator f) {
    double[] out = new double[row.length];
    for (int i = 0; i < row.length; i++) {
      out[i] = f.applyAsDouble(row[i]);
    }
    return out;
  }

  /** Upper half of the bits, rounded to nearest even; a NaN stays one. */
  static float bf16(float x) {
    if (Float.isNaN(x)) {
      return x;
    }
    int bits = Float.floatToRawIntBits(x);
    return Float.intBitsToFloat(bits + 0x7fff + (bits >> 16 & 1) & 0xffff0000);
  }

  private static float f16(float x) {
    return Float.float16ToFloat(Float.floatToFloat16(x));
  }

  /**
   * ggml: d = max|x| / 127 stored as f16, q = round half away from zero of x * (1 / d) with the
   * unrounded d.
   */
  private static double[] q8_0(double[] row) {
    double[] out = new double[row.length];
    for (int b = 0; b < row.length; b += BLOCK) {
      float most = 0;
      for (int i = b; i < b + BLOCK; i++) {
        most = Math.max(most, Math.abs((float) row[i]));
      }
      float d = most / 127f;
      float inverse = d == 0 ? 0 : 1 / d;
      for (int i = b; i < b + BLOCK; i++) {
        float x = (float) row[i] * inverse;
        int q = (int) (Math.signum(x) * Math.floor(Math.abs(x) + 0.5));
        out[i] = q * f16(d);
      }
    }
    return out;
  }

  /**
   * ggml: d = (value of largest magnitude, the first of equals) / -8 stored as f16, q = min(15,
   * (int) (x / d + 8.5)).
   */
  private static double[] q4_0(double[] row) {
    double[] out = new double[row.length];
    for (int b = 0; b < row.length; b += BLOCK) {
      float most = 0;
      for (int i = b; i < b + BLOCK; i++) {
        float x = (float) row[i];
        if (Float.isNaN(x) || Math.abs(x) > Math.abs(most)) {
          most = x;
        }
      }
      float d = most / -8f;
      float inverse = d == 0 ? 0 : 1 / d;
      for (int i = b; i < b + BLOCK; i++) {
        int q = Math.min(15, (int) ((float) row[i] * inverse + 8.5f));
        out[i] = (q - 8) * f16(d);
      }
    }
    return out;
  }
}
