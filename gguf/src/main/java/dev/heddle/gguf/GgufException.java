package dev.heddle.gguf;

import java.io.Serial;

/**
 * The user's GGUF file is not usable: the message is one sentence with the file, the entry, the
 * numbers and the next step.
 */
public final class GgufException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public GgufException(String message) {
    super(message);
  }

  public GgufException(String message, Throwable cause) {
    super(message, cause);
  }

  /** A number as messages write it, in groups of three digits: {@code 512 004 096}. */
  static String number(long value) {
    String digits = Long.toString(value);
    int sign = value < 0 ? 1 : 0;
    StringBuilder out = new StringBuilder(digits);
    for (int at = digits.length() - 3; at > sign; at -= 3) {
      out.insert(at, ' ');
    }
    return out.toString();
  }

  /**
   * A string from the file as messages quote it: at most 60 characters, nothing that a terminal
   * would obey.
   */
  static String quoted(String text) {
    StringBuilder out = new StringBuilder("'");
    int shown = Math.min(text.length(), 60);
    for (int i = 0; i < shown; i++) {
      char c = text.charAt(i);
      out.append(Character.isISOControl(c) || Character.isSurrogate(c) ? '?' : c);
    }
    return out.append(shown < text.length() ? "...'" : "'").toString();
  }
}
