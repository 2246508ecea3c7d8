package dev.heddle.gguf;

import static dev.heddle.gguf.Bytes.f16;
import static dev.heddle.gguf.Bytes.i32;
import static dev.heddle.gguf.Bytes.i8;
import static dev.heddle.gguf.Bytes.u8;

import java.lang.foreign.MemorySegment;

/**
 * Values of the formats with one scale a block, of 32 to 128 values. Each method reads the block at
 * {@code at}.
 */
final class SmallBlocks {
  private SmallBlocks() {}

  /** f16 d; 16 bytes of code pairs (low nibbles: values 0 to 15, high: 16 to 31). */
  static void q4_0(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at);
    for (int i = 0; i < 16; i++) {
      int pair = u8(in, at + 2 + i);
      out[to + i] = ((pair & 15) - 8) * d;
      out[to + 16 + i] = ((pair >> 4) - 8) * d;
    }
  }

  /** f16 d, f16 m; 16 bytes of code pairs. */
  static void q4_1(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at);
    float m = f16(in, at + 2);
    for (int i = 0; i < 16; i++) {
      int pair = u8(in, at + 4 + i);
      out[to + i] = (pair & 15) * d + m;
      out[to + 16 + i] = (pair >> 4) * d + m;
    }
  }

  /** f16 d; 32 fifth bits; 16 bytes of code pairs. */
  static void q5_0(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at);
    int high = i32(in, at + 2);
    for (int i = 0; i < 16; i++) {
      int pair = u8(in, at + 6 + i);
      out[to + i] = ((pair & 15 | (high >>> i & 1) << 4) - 16) * d;
      out[to + 16 + i] = ((pair >> 4 | (high >>> i + 16 & 1) << 4) - 16) * d;
    }
  }

  /** f16 d, f16 m; 32 fifth bits; 16 bytes of code pairs. */
  static void q5_1(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at);
    float m = f16(in, at + 2);
    int high = i32(in, at + 4);
    for (int i = 0; i < 16; i++) {
      int pair = u8(in, at + 8 + i);
      out[to + i] = (pair & 15 | (high >>> i & 1) << 4) * d + m;
      out[to + 16 + i] = (pair >> 4 | (high >>> i + 16 & 1) << 4) * d + m;
    }
  }

  /** f16 d; 32 int8. */
  static void q8_0(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at);
    for (int i = 0; i < 32; i++) {
      out[to + i] = i8(in, at + 2 + i) * d;
    }
  }

  /** f16 d; 128 signs, set = positive. */
  static void q1_0(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at);
    for (int i = 0; i < 128; i++) {
      out[to + i] = (u8(in, at + 2 + (i >> 3)) >> (i & 7) & 1) != 0 ? d : -d;
    }
  }

  /** f16 d; 64 codes of 2 bits for -1, 0, 1, 2. */
  static void q2_0(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at);
    for (int i = 0; i < 64; i++) {
      out[to + i] = ((u8(in, at + 2 + (i >> 2)) >> 2 * (i & 3) & 3) - 1) * d;
    }
  }

  /** f16 d; 16 bytes of code pairs. */
  static void iq4Nl(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at);
    for (int i = 0; i < 16; i++) {
      int pair = u8(in, at + 2 + i);
      out[to + i] = d * Codebooks.IQ4[pair & 15];
      out[to + 16 + i] = d * Codebooks.IQ4[pair >> 4];
    }
  }

  /** An exponent of 8 bits, e8m0; 16 bytes of code pairs. */
  static void mxfp4(MemorySegment in, long at, float[] out, int to) {
    float d = e8m0Half(u8(in, at));
    for (int i = 0; i < 16; i++) {
      int pair = u8(in, at + 1 + i);
      out[to + i] = Codebooks.E2M1_TWICE[pair & 15] * d;
      out[to + 16 + i] = Codebooks.E2M1_TWICE[pair >> 4] * d;
    }
  }

  /** Four scales ue4m3, one for each 16 values; 4 x 8 bytes of code pairs. */
  static void nvfp4(MemorySegment in, long at, float[] out, int to) {
    for (int part = 0; part < 4; part++) {
      float d = ue4m3Half(u8(in, at + part));
      for (int i = 0; i < 8; i++) {
        int pair = u8(in, at + 4 + 8 * part + i);
        out[to + 16 * part + i] = Codebooks.E2M1_TWICE[pair & 15] * d;
        out[to + 16 * part + 8 + i] = Codebooks.E2M1_TWICE[pair >> 4] * d;
      }
    }
  }

  /**
   * 2^(e - 128): half of what e8m0 says, because the codes are doubled. 0 and 1 give subnormals.
   */
  static float e8m0Half(int e) {
    return Float.intBitsToFloat(e < 2 ? 0x00200000 << e : e - 1 << 23);
  }

  /**
   * Half of an unsigned float with 4 exponent bits (bias 7) and 3 of mantissa; 0x7f, its NaN,
   * counts as 0.
   */
  static float ue4m3Half(int bits) {
    if (bits == 0x7f) {
      return 0;
    }
    int exponent = bits >> 3 & 15;
    int mantissa = bits & 7;
    return exponent == 0
        ? mantissa * 0x1p-10f
        : (8 + mantissa) * Float.intBitsToFloat(exponent - 11 + 127 << 23);
  }
}
