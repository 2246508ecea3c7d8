package dev.heddle.runtime;

import java.util.Locale;

/** Byte counts as messages write them. */
final class Sizes {
  private Sizes() {}

  /** {@code 812 bytes}, {@code 12.5 MB}, {@code 3.4 GB} (decimal units). */
  static String text(long bytes) {
    if (bytes < 10_000) {
      return bytes + " bytes";
    }
    return bytes < 1_000_000_000
        ? String.format(Locale.ROOT, "%.1f MB", bytes / 1e6)
        : String.format(Locale.ROOT, "%.1f GB", bytes / 1e9);
  }
}
