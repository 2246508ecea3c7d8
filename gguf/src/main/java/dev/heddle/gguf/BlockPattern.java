package dev.heddle.gguf;

import dev.heddle.ir.DType;
import java.lang.foreign.MemorySegment;

/**
 * Blocks of random codes with chosen scales. Formats with a minimum get the one that makes their
 * mean zero; the common scale d then follows from the deviation that a sample of blocks has with d
 * = 1.
 */
final class BlockPattern {
  private static final int SAMPLE_BLOCKS = 256;

  private BlockPattern() {}

  /** Fills whole blocks with values of zero mean and standard deviation {@code deviation}. */
  static void fill(DType type, float deviation, long key, long firstByte, MemorySegment out) {
    pattern(type, deviation / unitDeviation(type), key, firstByte, out);
  }

  private static float unitDeviation(DType type) {
    int size = type.blockSize();
    MemorySegment sample = MemorySegment.ofArray(new byte[SAMPLE_BLOCKS * type.blockBytes()]);
    pattern(type, 1, 1, 0, sample);
    float[] values = new float[size];
    double squares = 0;
    for (int block = 0; block < SAMPLE_BLOCKS; block++) {
      Dequantiser.row(type, sample, (long) block * type.blockBytes(), values, 0, size);
      for (float value : values) {
        squares += (double) value * value;
      }
    }
    return (float) Math.sqrt(squares / (SAMPLE_BLOCKS * size));
  }

  private static void pattern(DType type, float d, long key, long firstByte, MemorySegment out) {
    Synth.randomBytes(key, firstByte, out);
    for (long at = 0; at < out.byteSize(); at += type.blockBytes()) {
      scales(type, d, out, at);
    }
  }

  /** Sets the scales of the block at {@code at}, whose other bytes stay random. */
  private static void scales(DType type, float d, MemorySegment out, long at) {
    switch (type) {
      case Q4_0, Q5_0, IQ4_NL -> Bytes.putF16(out, at, eitherSign(d, out, at));
      case Q8_0 -> {
        Bytes.putF16(out, at, d);
        for (int i = 2; i < 34; i++) {
          // No writer makes -128, and kernels may rely on that.
          Bytes.putU8(out, at + i, Math.max(Bytes.i8(out, at + i), -127));
        }
      }
      case Q1_0, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S, IQ1_S, IQ4_XS -> Bytes.putF16(out, at, d);
      case Q4_1 -> {
        Bytes.putF16(out, at, d);
        Bytes.putF16(out, at + 2, -7.5f * d);
      }
      case Q5_1 -> {
        Bytes.putF16(out, at, d);
        Bytes.putF16(out, at + 2, -15.5f * d);
      }
      case Q2_0 -> {
        Bytes.putF16(out, at, d);
        ternary(out, at + 2, 16);
      }
      case TQ2_0 -> {
        ternary(out, at, 64);
        Bytes.putF16(out, at + 64, d);
      }
      case TQ1_0 -> Bytes.putF16(out, at + 52, d);
      case Q2_K -> {
        // Each minimum nibble equals its scale nibble, never 0; the mean of codes 0 to 3 is 1.5.
        for (int i = 0; i < 16; i++) {
          Bytes.putU8(out, at + i, (Bytes.u8(out, at + i) & 7 | 8) * 0x11);
        }
        Bytes.putF16(out, at + 80, d);
        Bytes.putF16(out, at + 82, 1.5f * d);
      }
      case Q3_K -> Bytes.putF16(out, at + 108, d);
      case Q4_K -> minima(d, 7.5f, out, at);
      case Q5_K -> minima(d, 15.5f, out, at);
      case Q6_K -> Bytes.putF16(out, at + 208, d);
      case IQ1_M -> {
        int bits = Float.floatToFloat16(d) & 0xffff;
        for (int i = 0; i < 4; i++) {
          Bytes.putU8(
              out,
              at + 49 + 2 * i,
              Bytes.u8(out, at + 49 + 2 * i) & 15 | (bits >> 4 * i & 15) << 4);
        }
      }
      case MXFP4 -> Bytes.putU8(out, at, powerOfTwo(d, Bytes.u8(out, at)));
      case NVFP4 -> {
        for (int i = 0; i < 4; i++) {
          Bytes.putU8(out, at + i, ue4m3(2 * d));
        }
      }
      default -> throw new IllegalArgumentException("type " + type + " has no blocks");
    }
  }

  /** Q4_K and Q5_K: scales of 32 to 63 in each part, the minimum's equal to it. */
  private static void minima(float d, float meanCode, MemorySegment out, long at) {
    Bytes.putF16(out, at, d);
    Bytes.putF16(out, at + 2, meanCode * d);
    for (int part = 0; part < 4; part++) {
      int low = Bytes.u8(out, at + 4 + part) & 31 | 32;
      int high = Bytes.u8(out, at + 8 + part) & 31 | 32;
      Bytes.putU8(out, at + 4 + part, low | high >> 4 << 6);
      Bytes.putU8(out, at + 8 + part, low | high >> 4 << 6);
      Bytes.putU8(out, at + 12 + part, (high & 15) * 0x11);
    }
  }

  /**
   * Turns every 2-bit code 3 of {@code bytes} bytes into 1, so that only -1, 0 and 1 are left, with
   * mean zero.
   */
  private static void ternary(MemorySegment out, long at, int bytes) {
    for (int i = 0; i < bytes; i++) {
      int codes = Bytes.u8(out, at + i);
      int threes = codes & codes >> 1 & 0x55;
      Bytes.putU8(out, at + i, codes & ~(threes << 1));
    }
  }

  /**
   * d or -d by a random bit: codes that reach further down than up have zero mean over many blocks.
   */
  private static float eitherSign(float d, MemorySegment out, long at) {
    return Bytes.u8(out, at) < 128 ? d : -d;
  }

  /** The exponent below or above d, by chance so that the mean square is d's. */
  private static int powerOfTwo(float d, int random) {
    int exponent = Math.getExponent(d);
    float ratio = d / Math.scalb(1f, exponent);
    int up = random < 256 * (ratio * ratio - 1) / 3 ? 1 : 0;
    return Math.clamp(exponent + 128 + up, 0, 254);
  }

  /** The unsigned 4-3 float next below {@code value}, at least its smallest. */
  private static int ue4m3(float value) {
    int exponent = Math.getExponent(value);
    if (exponent < -6) {
      return Math.max(1, (int) (value * 512));
    }
    int mantissa = (int) (value / Math.scalb(1f, exponent) * 8) - 8;
    return Math.min(0x7e, exponent + 7 << 3 | mantissa);
  }
}
