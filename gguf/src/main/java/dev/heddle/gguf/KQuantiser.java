package dev.heddle.gguf;

import java.lang.foreign.MemorySegment;

/**
 * Writers of Q4_K, Q5_K and Q6_K: per part of a block, codes are tried at a series of step widths;
 * for each the best scale (and minimum) follows by weighted least squares, and the series' best is
 * kept; then scales are quantised themselves and codes chosen again under the scales that a reader
 * will see. One instance per thread: it holds the scratch of a block.
 */
final class KQuantiser {
  private static final int VALUES = 256;

  /** Below this magnitude a part counts as zero: its inverse would overflow. */
  private static final float ZERO = 1e-15f;

  private final float[] scales = new float[16];
  private final float[] minima = new float[8];
  private final float[] weights = new float[32];
  private final int[] codes = new int[VALUES];
  private final int[] trial = new int[32];
  private final int[] scaleCodes = new int[16];
  private final int[] minimumCodes = new int[8];

  /**
   * The minimum (as the amount to subtract, not negative) that {@link #fitWithMinimum} found beside
   * the scale.
   */
  private float fittedMinimum;

  void q4K(float[] x, int from, MemorySegment out, long to) {
    eightParts(x, from, 15, -1, 20, out, to);
    for (int part = 0; part < 8; part += 2) {
      for (int i = 0; i < 32; i++) {
        Bytes.putU8(
            out, to + 16 + 16 * part + i, codes[32 * part + i] | codes[32 * part + 32 + i] << 4);
      }
    }
  }

  void q5K(float[] x, int from, MemorySegment out, long to) {
    eightParts(x, from, 31, -0.5f, 15, out, to);
    for (int i = 0; i < 32; i++) {
      int fifths = 0;
      for (int part = 0; part < 8; part++) {
        fifths |= codes[32 * part + i] >> 4 << part;
      }
      Bytes.putU8(out, to + 16 + i, fifths);
    }
    for (int part = 0; part < 8; part += 2) {
      for (int i = 0; i < 32; i++) {
        Bytes.putU8(
            out,
            to + 48 + 16 * part + i,
            codes[32 * part + i] & 15 | (codes[32 * part + 32 + i] & 15) << 4);
      }
    }
  }

  void q6K(float[] x, int from, MemorySegment out, long to) {
    float extreme = 0;
    for (int part = 0; part < 16; part++) {
      scales[part] = fitSigned(x, from + 16 * part, 16 * part);
      extreme = Math.abs(scales[part]) > Math.abs(extreme) ? scales[part] : extreme;
    }
    if (Math.abs(extreme) < ZERO) {
      out.asSlice(to, 210).fill((byte) 0);
      return;
    }
    float inverse = -128 / extreme;
    short d = Float.floatToFloat16(1 / inverse);
    out.set(Bytes.I16, to + 208, d);
    for (int part = 0; part < 16; part++) {
      int scale = Math.min(127, nearest(inverse * scales[part]));
      Bytes.putU8(out, to + 192 + part, scale);
      float step = Float.float16ToFloat(d) * scale;
      for (int i = 16 * part; step != 0 && i < 16 * part + 16; i++) {
        codes[i] = Math.max(-32, Math.min(31, nearest(x[from + i] / step))) + 32;
      }
    }
    for (int half = 0; half < 2; half++) {
      int first = 128 * half;
      for (int i = 0; i < 32; i++) {
        int a = codes[first + i];
        int b = codes[first + 32 + i];
        int c = codes[first + 64 + i];
        int e = codes[first + 96 + i];
        Bytes.putU8(out, to + 64 * half + i, a & 15 | (c & 15) << 4);
        Bytes.putU8(out, to + 64 * half + 32 + i, b & 15 | (e & 15) << 4);
        Bytes.putU8(
            out, to + 128 + 32 * half + i, a >> 4 | b >> 4 << 2 | c >> 4 << 4 | e >> 4 << 6);
      }
    }
  }

  /**
   * Scales, minima and codes of Q4_K and Q5_K, and the 16 bytes that hold d, dmin, scales and
   * minima.
   */
  private void eightParts(
      float[] x, int from, int greatest, float firstStep, int steps, MemorySegment out, long to) {
    float largestScale = 0;
    float largestMinimum = 0;
    for (int part = 0; part < 8; part++) {
      int at = from + 32 * part;
      float squares = 0;
      for (int i = 0; i < 32; i++) {
        squares += x[at + i] * x[at + i];
      }
      float rms = (float) Math.sqrt(squares / 32);
      for (int i = 0; i < 32; i++) {
        weights[i] = rms + Math.abs(x[at + i]);
      }
      scales[part] = fitWithMinimum(x, at, 32 * part, greatest, firstStep, steps);
      minima[part] = fittedMinimum;
      largestScale = Math.max(largestScale, scales[part]);
      largestMinimum = Math.max(largestMinimum, minima[part]);
    }
    float inverseScale = largestScale > 0 ? 63 / largestScale : 0;
    float inverseMinimum = largestMinimum > 0 ? 63 / largestMinimum : 0;
    for (int part = 0; part < 8; part++) {
      scaleCodes[part] = Math.min(63, nearest(inverseScale * scales[part]));
      minimumCodes[part] = Math.min(63, nearest(inverseMinimum * minima[part]));
    }
    packScales(out, to + 4);
    short d = Float.floatToFloat16(largestScale / 63);
    short dmin = Float.floatToFloat16(largestMinimum / 63);
    out.set(Bytes.I16, to, d);
    out.set(Bytes.I16, to + 2, dmin);
    for (int part = 0; part < 8; part++) {
      float step = Float.float16ToFloat(d) * scaleCodes[part];
      float minimum = Float.float16ToFloat(dmin) * minimumCodes[part];
      for (int i = 32 * part; step != 0 && i < 32 * part + 32; i++) {
        codes[i] = Math.max(0, Math.min(greatest, nearest((x[from + i] + minimum) / step)));
      }
    }
  }

  /**
   * Parts 0 to 3 in the low six bits of bytes 0 to 7; parts 4 to 7 as nibbles in bytes 8 to 11,
   * their top bits above those.
   */
  private void packScales(MemorySegment out, long to) {
    for (int part = 0; part < 4; part++) {
      int highScale = scaleCodes[part + 4];
      int highMinimum = minimumCodes[part + 4];
      Bytes.putU8(out, to + part, scaleCodes[part] | highScale >> 4 << 6);
      Bytes.putU8(out, to + 4 + part, minimumCodes[part] | highMinimum >> 4 << 6);
      Bytes.putU8(out, to + 8 + part, highScale & 15 | (highMinimum & 15) << 4);
    }
  }

  /**
   * Codes 0 to {@code greatest} of 32 values with the least weighted squared error of {@code scale
   * * code - minimum}. The minimum stays in {@link #fittedMinimum}.
   *
   * @return the scale
   */
  private float fitWithMinimum(
      float[] x, int from, int to, int greatest, float firstStep, int steps) {
    float min = x[from];
    float max = x[from];
    float sumW = weights[0];
    float sumX = sumW * x[from];
    for (int i = 1; i < 32; i++) {
      min = Math.min(min, x[from + i]);
      max = Math.max(max, x[from + i]);
      sumW += weights[i];
      sumX += weights[i] * x[from + i];
    }
    min = Math.min(min, 0);
    if (max == min) {
      java.util.Arrays.fill(codes, to, to + 32, 0);
      fittedMinimum = -min;
      return 0;
    }
    float scale = 1 / (greatest / (max - min));
    encode(x, from, min, greatest / (max - min), greatest);
    System.arraycopy(trial, 0, codes, to, 32);
    float best = error(x, from, scale, min);
    for (int step = 0; step <= steps; step++) {
      // From the best minimum so far, not the least value: a fit may have moved it.
      encode(x, from, min, (firstStep + 0.1f * step + greatest) / (max - min), greatest);
      float sumL = 0;
      float sumLL = 0;
      float sumXL = 0;
      for (int i = 0; i < 32; i++) {
        float w = weights[i];
        int code = trial[i];
        sumL += w * code;
        sumLL += w * code * code;
        sumXL += w * code * x[from + i];
      }
      float determinant = sumW * sumLL - sumL * sumL;
      if (determinant <= 0) {
        continue;
      }
      float newScale = (sumW * sumXL - sumX * sumL) / determinant;
      float newMin = (sumLL * sumX - sumL * sumXL) / determinant;
      if (newMin > 0) {
        newMin = 0;
        newScale = sumXL / sumLL;
      }
      float error = error(x, from, newScale, newMin);
      if (error < best) {
        System.arraycopy(trial, 0, codes, to, 32);
        best = error;
        scale = newScale;
        min = newMin;
      }
    }
    fittedMinimum = -min;
    return scale;
  }

  private void encode(float[] x, int from, float origin, float inverse, int greatest) {
    for (int i = 0; i < 32; i++) {
      trial[i] = Math.max(0, Math.min(greatest, nearest(inverse * (x[from + i] - origin))));
    }
  }

  private float error(float[] x, int from, float scale, float min) {
    float sum = 0;
    for (int i = 0; i < 32; i++) {
      float difference = scale * trial[i] + min - x[from + i];
      sum += weights[i] * (difference * difference);
    }
    return sum;
  }

  /**
   * Codes -32 to 31 (stored + 32) of 16 values with the least error of {@code scale * code}, each
   * value weighted by its square.
   *
   * @return the scale
   */
  private float fitSigned(float[] x, int from, int to) {
    float extreme = 0;
    for (int i = from; i < from + 16; i++) {
      extreme = Math.abs(x[i]) > Math.abs(extreme) ? x[i] : extreme;
    }
    if (Math.abs(extreme) < ZERO) {
      java.util.Arrays.fill(codes, to, to + 16, 0);
      return 0;
    }
    float scale = 0;
    float best = 0;
    // The plain width first, then its neighbours: of equals the first is kept.
    for (int step = 0; step <= 18; step++) {
      int offset = step == 0 ? 0 : step <= 9 ? step - 10 : step - 9;
      float inverse = -(32 + 0.1f * offset) / extreme;
      float sumXL = 0;
      float sumLL = 0;
      for (int i = 0; i < 16; i++) {
        float value = x[from + i];
        int code = Math.max(-32, Math.min(31, nearest(inverse * value)));
        trial[i] = code + 32;
        float w = value * value;
        sumXL += w * value * code;
        sumLL += w * code * code;
      }
      if (step == 0 || sumLL > 0 && sumXL * sumXL > best * sumLL) {
        System.arraycopy(trial, 0, codes, to, 16);
        scale = sumLL > 0 ? sumXL / sumLL : 0;
        best = scale * sumXL;
      }
    }
    return scale;
  }

  /**
   * The nearest integer, ties to even, of less than 2^22: adding 1.5 x 2^23 leaves no bits behind
   * the point.
   */
  private static int nearest(float value) {
    return (int) (value + 0x1.8p23f - 0x1.8p23f);
  }
}
