package dev.heddle.gguf;

import dev.heddle.ir.DType;
import java.lang.foreign.MemorySegment;

/**
 * Writes f32 values as blocks. Q8_0, Q4_0, Q4_1, Q5_0 and Q5_1 choose the scale from the extremes;
 * the K types search scale and minimum by weighted least squares ({@link KQuantiser}). Values must
 * be finite.
 */
public final class Quantiser {
  private Quantiser() {}

  /** True for the types that can be written. */
  public static boolean writes(DType type) {
    return switch (type) {
      case F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K -> true;
      case F64,
          I8,
          I16,
          I32,
          I64,
          Q8_1,
          Q1_0,
          Q2_0,
          Q2_K,
          Q3_K,
          IQ1_S,
          IQ1_M,
          IQ2_XXS,
          IQ2_XS,
          IQ2_S,
          IQ3_XXS,
          IQ3_S,
          IQ4_NL,
          IQ4_XS,
          TQ1_0,
          TQ2_0,
          MXFP4,
          NVFP4 ->
          false;
    };
  }

  /**
   * Writes {@code count} values of {@code src[srcOffset ..]} as blocks of {@code type} to byte
   * {@code byteOffset} of {@code dst}; {@code count} is a multiple of the block size. Thread-safe.
   */
  public static void row(
      DType type, float[] src, int srcOffset, MemorySegment dst, long byteOffset, int count) {
    int size = type.blockSize();
    if (count % size != 0) {
      throw new IllegalArgumentException(count + " values are not whole blocks of " + type);
    }
    KQuantiser search = size == 256 ? new KQuantiser() : null;
    int end = srcOffset + count;
    long to = byteOffset;
    for (int from = srcOffset; from < end; from += size, to += type.blockBytes()) {
      switch (type) {
        case F32 -> dst.set(Bytes.F32, to, src[from]);
        case F16 -> Bytes.putF16(dst, to, src[from]);
        case BF16 -> dst.set(Bytes.I16, to, bf16(src[from]));
        case Q8_0 -> q8_0(src, from, dst, to);
        case Q4_0 -> q4_0(src, from, dst, to);
        case Q4_1 -> q4_1(src, from, dst, to);
        case Q5_0 -> q5_0(src, from, dst, to);
        case Q5_1 -> q5_1(src, from, dst, to);
        case Q4_K -> search.q4K(src, from, dst, to);
        case Q5_K -> search.q5K(src, from, dst, to);
        case Q6_K -> search.q6K(src, from, dst, to);
        case F64,
            I8,
            I16,
            I32,
            I64,
            Q8_1,
            Q1_0,
            Q2_0,
            Q2_K,
            Q3_K,
            IQ1_S,
            IQ1_M,
            IQ2_XXS,
            IQ2_XS,
            IQ2_S,
            IQ3_XXS,
            IQ3_S,
            IQ4_NL,
            IQ4_XS,
            TQ1_0,
            TQ2_0,
            MXFP4,
            NVFP4 ->
            throw new IllegalArgumentException("type " + type + " is read, not written");
      }
    }
  }

  /** The nearest bfloat16, ties to even; a NaN stays one. */
  static short bf16(float value) {
    int bits = Float.floatToRawIntBits(value);
    if (Float.isNaN(value)) {
      return (short) (bits >> 16 | 64);
    }
    return (short) (bits + 0x7fff + (bits >>> 16 & 1) >> 16);
  }

  private static void q8_0(float[] x, int from, MemorySegment out, long to) {
    float d = Math.abs(extreme(x, from)) / 127;
    float inverse = inverse(d);
    Bytes.putF16(out, to, d);
    for (int i = 0; i < 32; i++) {
      float scaled = x[from + i] * inverse;
      // Halves away from zero, as the format's writers round.
      Bytes.putU8(out, to + 2 + i, (int) (scaled + Math.copySign(0.5f, scaled)));
    }
  }

  private static void q4_0(float[] x, int from, MemorySegment out, long to) {
    float d = extreme(x, from) / -8;
    float inverse = inverse(d);
    Bytes.putF16(out, to, d);
    for (int i = 0; i < 16; i++) {
      int low = Math.min(15, (int) (x[from + i] * inverse + 8.5f));
      int high = Math.min(15, (int) (x[from + 16 + i] * inverse + 8.5f));
      Bytes.putU8(out, to + 2 + i, low | high << 4);
    }
  }

  private static void q4_1(float[] x, int from, MemorySegment out, long to) {
    float min = least(x, from);
    float d = (greatest(x, from) - min) / 15;
    float inverse = inverse(d);
    Bytes.putF16(out, to, d);
    Bytes.putF16(out, to + 2, min);
    for (int i = 0; i < 16; i++) {
      int low = Math.min(15, (int) ((x[from + i] - min) * inverse + 0.5f));
      int high = Math.min(15, (int) ((x[from + 16 + i] - min) * inverse + 0.5f));
      Bytes.putU8(out, to + 4 + i, low | high << 4);
    }
  }

  private static void q5_0(float[] x, int from, MemorySegment out, long to) {
    float d = extreme(x, from) / -16;
    float inverse = inverse(d);
    Bytes.putF16(out, to, d);
    int fifths = 0;
    for (int i = 0; i < 16; i++) {
      int low = Math.min(31, (int) (x[from + i] * inverse + 16.5f));
      int high = Math.min(31, (int) (x[from + 16 + i] * inverse + 16.5f));
      Bytes.putU8(out, to + 6 + i, low & 15 | (high & 15) << 4);
      fifths |= low >> 4 << i | high >> 4 << i + 16;
    }
    out.set(Bytes.I32, to + 2, fifths);
  }

  private static void q5_1(float[] x, int from, MemorySegment out, long to) {
    float min = least(x, from);
    float d = (greatest(x, from) - min) / 31;
    float inverse = inverse(d);
    Bytes.putF16(out, to, d);
    Bytes.putF16(out, to + 2, min);
    int fifths = 0;
    for (int i = 0; i < 16; i++) {
      int low = Math.min(31, (int) ((x[from + i] - min) * inverse + 0.5f));
      int high = Math.min(31, (int) ((x[from + 16 + i] - min) * inverse + 0.5f));
      Bytes.putU8(out, to + 8 + i, low & 15 | (high & 15) << 4);
      fifths |= low >> 4 << i | high >> 4 << i + 16;
    }
    out.set(Bytes.I32, to + 4, fifths);
  }

  private static float inverse(float d) {
    return d == 0 ? 0 : 1 / d;
  }

  /** The first value of greatest magnitude, with its sign. */
  private static float extreme(float[] x, int from) {
    float extreme = 0;
    float magnitude = 0;
    for (int i = from; i < from + 32; i++) {
      if (Math.abs(x[i]) > magnitude) {
        magnitude = Math.abs(x[i]);
        extreme = x[i];
      }
    }
    return extreme;
  }

  private static float least(float[] x, int from) {
    float least = x[from];
    for (int i = from + 1; i < from + 32; i++) {
      least = Math.min(least, x[i]);
    }
    return least;
  }

  private static float greatest(float[] x, int from) {
    float greatest = x[from];
    for (int i = from + 1; i < from + 32; i++) {
      greatest = Math.max(greatest, x[i]);
    }
    return greatest;
  }
}
