package dev.heddle.text;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The alphabet in which byte-level vocabularies spell bytes: a printable character of Latin-1
 * stands for its own code, the other 68 bytes stand, in order, for U+0100 and up. So a space is
 * U+0120 and a line feed U+010A.
 */
final class ByteAlphabet {
  private static final char[] LETTER = new char[256];
  private static final int[] BYTE = new int[256 + 68];

  static {
    Arrays.fill(BYTE, -1);
    char next = 256;
    for (int b = 0; b < 256; b++) {
      boolean printable = b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE;
      LETTER[b] = printable ? (char) b : next++;
      BYTE[LETTER[b]] = b;
    }
  }

  private ByteAlphabet() {}

  /** The letter of a byte, 0 to 255. */
  static char letter(int value) {
    return LETTER[value];
  }

  /** The spelling of these bytes. */
  static String spell(byte[] bytes) {
    char[] letters = new char[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      letters[i] = LETTER[bytes[i] & 0xFF];
    }
    return new String(letters);
  }

  /**
   * The bytes that a spelling stands for; a spelling with any character outside the alphabet stands
   * for its own UTF-8.
   */
  static byte[] bytes(String spelling) {
    byte[] bytes = new byte[spelling.length()];
    for (int i = 0; i < bytes.length; i++) {
      char c = spelling.charAt(i);
      if (c >= BYTE.length || BYTE[c] < 0) {
        return spelling.getBytes(StandardCharsets.UTF_8);
      }
      bytes[i] = (byte) BYTE[c];
    }
    return bytes;
  }
}
