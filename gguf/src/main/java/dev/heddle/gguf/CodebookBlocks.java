package dev.heddle.gguf;

import static dev.heddle.gguf.Bytes.f16;
import static dev.heddle.gguf.Bytes.i32;
import static dev.heddle.gguf.Bytes.u16;
import static dev.heddle.gguf.Bytes.u8;

import java.lang.foreign.MemorySegment;

/** Values of the formats that index a codebook of vectors: IQ1, IQ2, IQ3; 256 values a block. */
final class CodebookBlocks {
  /** What IQ1 adds to each value of a vector, with either sign. */
  private static final float DELTA = 0.125f;

  private CodebookBlocks() {}

  /**
   * f16 d; per 32 values four vector numbers of 8 bits, then a word of four 7-bit signs and a 4-bit
   * scale.
   */
  static void iq2Xxs(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at);
    for (int part = 0; part < 8; part++) {
      int word = i32(in, at + 2 + 8 * part + 4);
      float scale = d * (0.5f + (word >>> 28)) * 0.25f;
      for (int i = 0; i < 4; i++) {
        int vector = u8(in, at + 2 + 8 * part + i);
        signed8(
            Codebooks.IQ2_XXS,
            8 * vector,
            scale,
            signs(word >>> 7 * i & 127),
            out,
            to + 32 * part + 8 * i);
      }
    }
  }

  /** f16 d; 32 words of a 9-bit vector number and a 7-bit sign; 8 bytes of scale nibbles. */
  static void iq2Xs(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at);
    for (int i = 0; i < 32; i++) {
      int word = u16(in, at + 2 + 2 * i);
      float scale = d * (0.5f + nibble(in, at + 66, i >> 1)) * 0.25f;
      signed8(Codebooks.IQ2_XS, 8 * (word & 511), scale, signs(word >> 9), out, to + 8 * i);
    }
  }

  /**
   * f16 d; 32 low vector bytes; 32 bytes of signs; 8 bytes of high vector bits; 8 bytes of scale
   * nibbles.
   */
  static void iq2S(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at);
    for (int i = 0; i < 32; i++) {
      int vector = u8(in, at + 2 + i) | (u8(in, at + 66 + (i >> 2)) >> 2 * (i & 3) & 3) << 8;
      float scale = d * (0.5f + nibble(in, at + 74, i >> 1)) * 0.25f;
      signed8(Codebooks.IQ2_S, 8 * vector, scale, u8(in, at + 34 + i), out, to + 8 * i);
    }
  }

  /**
   * f16 d; 64 vector numbers of 8 bits; per 32 values a word of four 7-bit signs and a 4-bit scale.
   */
  static void iq3Xxs(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at);
    for (int part = 0; part < 8; part++) {
      int word = i32(in, at + 66 + 4 * part);
      float scale = d * (0.5f + (word >>> 28)) * 0.5f;
      for (int i = 0; i < 4; i++) {
        int signs = signs(word >>> 7 * i & 127);
        long vectors = at + 2 + 8 * part + 2 * i;
        int values = to + 32 * part + 8 * i;
        signed4(Codebooks.IQ3_XXS, 4 * u8(in, vectors), scale, signs, out, values);
        signed4(Codebooks.IQ3_XXS, 4 * u8(in, vectors + 1), scale, signs >> 4, out, values + 4);
      }
    }
  }

  /**
   * f16 d; 64 low vector bytes; 8 bytes of ninth vector bits; 32 bytes of signs; 4 bytes of scale
   * nibbles.
   */
  static void iq3S(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at);
    for (int i = 0; i < 64; i++) {
      int vector = u8(in, at + 2 + i) | (u8(in, at + 66 + (i >> 3)) >> (i & 7) & 1) << 8;
      float scale = d * (1 + 2 * nibble(in, at + 106, i >> 3));
      int signs = u8(in, at + 74 + (i >> 1)) >> 4 * (i & 1);
      signed4(Codebooks.IQ3_S, 4 * vector, scale, signs, out, to + 4 * i);
    }
  }

  /**
   * f16 d; 32 low vector bytes; per 32 values a word of four 3-bit high vector parts, a 3-bit scale
   * and the sign of delta.
   */
  static void iq1S(MemorySegment in, long at, float[] out, int to) {
    float d = f16(in, at);
    for (int i = 0; i < 32; i++) {
      int word = u16(in, at + 34 + 2 * (i >> 2));
      int vector = u8(in, at + 2 + i) | (word >> 3 * (i & 3) & 7) << 8;
      float scale = d * (2 * (word >> 12 & 7) + 1);
      shifted8(vector, scale, (word & 0x8000) != 0 ? -DELTA : DELTA, out, to + 8 * i);
    }
  }

  /**
   * 32 low vector bytes; 16 bytes of 3-bit high parts and signs of delta; 4 words of four 3-bit
   * scales and 4 bits of f16 d.
   */
  static void iq1M(MemorySegment in, long at, float[] out, int to) {
    int bits = 0;
    for (int i = 0; i < 4; i++) {
      bits |= u16(in, at + 48 + 2 * i) >> 12 << 4 * i;
    }
    float d = Float.float16ToFloat((short) bits);
    for (int i = 0; i < 32; i++) {
      int high = nibble(in, at + 32, i);
      int vector = u8(in, at + i) | (high & 7) << 8;
      float scale = d * (2 * (u16(in, at + 48 + 2 * (i >> 3)) >> 3 * (i >> 1 & 3) & 7) + 1);
      shifted8(vector, scale, (high & 8) != 0 ? -DELTA : DELTA, out, to + 8 * i);
    }
  }

  private static int nibble(MemorySegment in, long at, int index) {
    return u8(in, at + (index >> 1)) >> 4 * (index & 1) & 15;
  }

  /** Eight signs from seven: the last makes their number even. */
  private static int signs(int seven) {
    return seven | (Integer.bitCount(seven) & 1) << 7;
  }

  private static void signed8(
      byte[] book, int vector, float scale, int signs, float[] out, int to) {
    for (int i = 0; i < 8; i++) {
      float value = scale * book[vector + i];
      out[to + i] = (signs >> i & 1) != 0 ? -value : value;
    }
  }

  private static void signed4(
      byte[] book, int vector, float scale, int signs, float[] out, int to) {
    for (int i = 0; i < 4; i++) {
      float value = scale * book[vector + i];
      out[to + i] = (signs >> i & 1) != 0 ? -value : value;
    }
  }

  private static void shifted8(int vector, float scale, float delta, float[] out, int to) {
    for (int i = 0; i < 8; i++) {
      out[to + i] = scale * (Codebooks.IQ1[8 * vector + i] + delta);
    }
  }
}
