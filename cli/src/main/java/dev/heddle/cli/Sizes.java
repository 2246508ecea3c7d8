package dev.heddle.cli;

import java.util.Locale;

/** Numbers as people read them. */
final class Sizes {
  private Sizes() {}

  /**
   * Three significant digits with a unit: {@code 14.5 MB} (decimal units, as file managers and
   * vendors count).
   */
  static String bytes(long bytes) {
    if (bytes < 1000) {
      return bytes + " B";
    }
    double value = bytes;
    int unit = -1;
    while (value >= 999.5) {
      value /= 1000;
      unit++;
    }
    int digits = value < 10 ? 2 : value < 100 ? 1 : 0;
    return String.format(Locale.ROOT, "%." + digits + "f %cB", value, "kMGTPE".charAt(unit));
  }

  /** {@code 1.8 s}, {@code 34 ms}. */
  static String seconds(long nanos) {
    return nanos < 1_000_000_000L
        ? String.format(Locale.ROOT, "%.0f ms", nanos / 1e6)
        : String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
  }

  /** Groups of three digits: {@code 1 906}. */
  static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count).replace(',', ' ');
  }
}
