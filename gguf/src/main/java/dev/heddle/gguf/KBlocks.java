package dev.heddle.gguf;

import static dev.heddle.gguf.Bytes.f16;
import static dev.heddle.gguf.Bytes.i8;
import static dev.heddle.gguf.Bytes.u16;
import static dev.heddle.gguf.Bytes.u8;

import java.lang.foreign.MemorySegment;

/** Values of the formats with 256 values a block and scales of scales, and the ternary ones. */
final class KBlocks {
  private KBlocks() {}

  /** 16 bytes of scale and minimum nibbles; 64 bytes of 2-bit codes; f16 d, f16 dmin. */
  static void q2K(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at + 80);
    float dmin = f16(in, at + 82);
    for (int part = 0; part < 16; part++) {
      int scales = u8(in, at + part);
      float scale = d * (scales & 15);
      float min = dmin * (scales >> 4);
      long codes = at + 16 + 32 * (part >> 3) + 16 * (part & 1);
      int shift = part & 6;
      for (int i = 0; i < 16; i++) {
        out[to + 16 * part + i] = scale * (u8(in, codes + i) >> shift & 3) - min;
      }
    }
  }

  /** 32 bytes of third bits; 64 bytes of 2-bit codes; 16 scales of 6 bits in 12 bytes; f16 d. */
  static void q3K(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at + 108);
    for (int part = 0; part < 16; part++) {
      int low = u8(in, at + 96 + (part & 7)) >> (part < 8 ? 0 : 4) & 15;
      int high = u8(in, at + 104 + (part & 3)) >> 2 * (part >> 2) & 3;
      float scale = d * ((low | high << 4) - 32);
      long highBits = at + 16 * (part & 1);
      long codes = at + 32 + 32 * (part >> 3) + 16 * (part & 1);
      int shift = part & 6;
      int bit = part >> 1;
      for (int i = 0; i < 16; i++) {
        int code = (u8(in, codes + i) >> shift & 3) + (u8(in, highBits + i) >> bit & 1) * 4 - 4;
        out[to + 16 * part + i] = scale * code;
      }
    }
  }

  /** The scale of part {@code part} of 8 from the 12 bytes at {@code at} (Q4_K, Q5_K). */
  static int scale(MemorySegment in, long at, int part) {
    return part < 4
        ? u8(in, at + part) & 63
        : u8(in, at + part + 4) & 15 | u8(in, at + part - 4) >> 6 << 4;
  }

  /** The minimum of part {@code part} of 8 from the 12 bytes at {@code at} (Q4_K, Q5_K). */
  static int minimum(MemorySegment in, long at, int part) {
    return part < 4
        ? u8(in, at + part + 4) & 63
        : u8(in, at + part + 4) >> 4 | u8(in, at + part) >> 6 << 4;
  }

  /** f16 d, f16 dmin; 8 scales and minima of 6 bits in 12 bytes; 128 bytes of code pairs. */
  static void q4K(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at);
    float dmin = f16(in, at + 2);
    for (int part = 0; part < 8; part += 2) {
      float scale0 = d * scale(in, at + 4, part);
      float min0 = dmin * minimum(in, at + 4, part);
      float scale1 = d * scale(in, at + 4, part + 1);
      float min1 = dmin * minimum(in, at + 4, part + 1);
      long codes = at + 16 + 16 * part;
      for (int i = 0; i < 32; i++) {
        int pair = u8(in, codes + i);
        out[to + 32 * part + i] = scale0 * (pair & 15) - min0;
        out[to + 32 * part + 32 + i] = scale1 * (pair >> 4) - min1;
      }
    }
  }

  /**
   * f16 d, f16 dmin; 8 scales and minima of 6 bits in 12 bytes; 32 bytes of fifth bits; 128 bytes
   * of code pairs.
   */
  static void q5K(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at);
    float dmin = f16(in, at + 2);
    for (int part = 0; part < 8; part += 2) {
      float scale0 = d * scale(in, at + 4, part);
      float min0 = dmin * minimum(in, at + 4, part);
      float scale1 = d * scale(in, at + 4, part + 1);
      float min1 = dmin * minimum(in, at + 4, part + 1);
      long codes = at + 48 + 16 * part;
      for (int i = 0; i < 32; i++) {
        int pair = u8(in, codes + i);
        int high = u8(in, at + 16 + i) >> part;
        out[to + 32 * part + i] = scale0 * (pair & 15 | (high & 1) << 4) - min0;
        out[to + 32 * part + 32 + i] = scale1 * (pair >> 4 | (high & 2) << 3) - min1;
      }
    }
  }

  /** 128 bytes of low nibbles; 64 bytes of high 2-bit codes; 16 scales of 8 bits; f16 d. */
  static void q6K(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at + 208);
    for (int part = 0; part < 16; part++) {
      float scale = d * i8(in, at + 192 + part);
      int half = part >> 3;
      int group = part >> 1 & 3;
      long low = at + 64 * half + 32 * (group & 1) + 16 * (part & 1);
      long high = at + 128 + 32 * half + 16 * (part & 1);
      int lowShift = group < 2 ? 0 : 4;
      int highShift = 2 * group;
      for (int i = 0; i < 16; i++) {
        int code =
            (u8(in, low + i) >> lowShift & 15 | (u8(in, high + i) >> highShift & 3) << 4) - 32;
        out[to + 16 * part + i] = scale * code;
      }
    }
  }

  /** f16 d; 8 high 2-bit scales; 4 bytes of low scale nibbles; 128 bytes of code pairs. */
  static void iq4Xs(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at);
    int high = u16(in, at + 2);
    for (int part = 0; part < 8; part++) {
      int low = u8(in, at + 4 + (part >> 1)) >> 4 * (part & 1) & 15;
      float scale = d * ((low | (high >> 2 * part & 3) << 4) - 32);
      long codes = at + 8 + 16 * part;
      for (int i = 0; i < 16; i++) {
        int pair = u8(in, codes + i);
        out[to + 32 * part + i] = scale * Codebooks.IQ4[pair & 15];
        out[to + 32 * part + 16 + i] = scale * Codebooks.IQ4[pair >> 4];
      }
    }
  }

  /**
   * 48 bytes of five ternary digits, 4 bytes of four; f16 d. A digit is the whole part of 3 x the
   * byte as a fraction of 256.
   */
  static void tq1_0(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at + 52);
    digits(in, at, 32, 5, d, out, to);
    digits(in, at + 32, 16, 5, d, out, to + 160);
    digits(in, at + 48, 4, 4, d, out, to + 240);
  }

  private static void digits(
      MemorySegment in, long at, int bytes, int count, float d, float[] out, int to) {
    int power = 1;
    for (int digit = 0; digit < count; digit++, power *= 3) {
      for (int i = 0; i < bytes; i++) {
        int fraction = u8(in, at + i) * power & 255;
        out[to + digit * bytes + i] = ((fraction * 3 >> 8) - 1) * d;
      }
    }
  }

  /** 64 bytes of 2-bit codes for -1, 0, 1 (and 2, which no writer makes); f16 d. */
  static void tq2_0(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at + 64);
    for (int part = 0; part < 8; part++) {
      long codes = at + 32 * (part >> 2);
      int shift = 2 * (part & 3);
      for (int i = 0; i < 32; i++) {
        out[to + 32 * part + i] = ((u8(in, codes + i) >> shift & 3) - 1) * d;
      }
    }
  }
}
