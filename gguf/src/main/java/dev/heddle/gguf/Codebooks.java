package dev.heddle.gguf;

import dev.heddle.ir.HeddleBug;
import java.io.IOException;
import java.io.InputStream;

/**
 * The vectors that the IQ formats index, and the values of 4-bit codes. They are part of the
 * formats: other values are other formats.
 *
 * <p>{@code codebooks.bin} holds a little-endian 16-bit word per vector: eight codes of 2 bits, or
 * four of 3 bits, the first in the lowest bits. In order: IQ2_XXS (256), IQ2_XS (512), IQ2_S
 * (1024), IQ3_XXS (256), IQ3_S (512), IQ1 (2048).
 */
final class Codebooks {
  /** Values of a 4-bit code of IQ4_NL and IQ4_XS. */
  static final byte[] IQ4 = {
    -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113
  };

  /**
   * Twice the values of a 4-bit float e2m1 (sign, two exponent bits, one of mantissa): integers, so
   * that a half-scale fits.
   */
  static final byte[] E2M1_TWICE = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

  /** Eight values per vector, one byte each. */
  static final byte[] IQ2_XXS;

  static final byte[] IQ2_XS;
  static final byte[] IQ2_S;

  /** Four values per vector. */
  static final byte[] IQ3_XXS;

  static final byte[] IQ3_S;

  /** Eight values of -1, 0, 1 per vector; IQ1_S and IQ1_M. */
  static final byte[] IQ1;

  private static final int WORDS = 256 + 512 + 1024 + 256 + 512 + 2048;

  static {
    byte[] packed = resource();
    IQ2_XXS = unpack(packed, 0, 256, 2, 0x08, 0x19, 0x2b);
    IQ2_XS = unpack(packed, 256, 512, 2, 0x08, 0x19, 0x2b);
    IQ2_S = unpack(packed, 768, 1024, 2, 0x08, 0x19, 0x2b);
    IQ3_XXS = unpack(packed, 1792, 256, 3, 4, 12, 20, 28, 36, 44, 52, 62);
    IQ3_S = unpack(packed, 2048, 512, 3, 1, 3, 5, 7, 9, 11, 13, 15);
    IQ1 = unpack(packed, 2560, 2048, 2, -1, 0, 1);
  }

  private Codebooks() {}

  private static byte[] resource() {
    try (InputStream in = Codebooks.class.getResourceAsStream("codebooks.bin")) {
      byte[] packed = in == null ? new byte[0] : in.readAllBytes();
      if (packed.length != 2 * WORDS) {
        throw new HeddleBug("codebooks.bin has " + packed.length + " bytes, not " + 2 * WORDS);
      }
      return packed;
    } catch (IOException e) {
      throw new HeddleBug("codebooks.bin cannot be read: " + e);
    }
  }

  private static byte[] unpack(byte[] packed, int firstWord, int words, int bits, int... values) {
    int perWord = bits == 2 ? 8 : 4;
    byte[] out = new byte[words * perWord];
    for (int word = 0; word < words; word++) {
      int at = 2 * (firstWord + word);
      int codes = packed[at] & 0xff | (packed[at + 1] & 0xff) << 8;
      for (int i = 0; i < perWord; i++) {
        out[word * perWord + i] = (byte) values[codes >> bits * i & (1 << bits) - 1];
      }
    }
    return out;
  }
}
