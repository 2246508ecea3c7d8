package dev.heddle.compiler.spec;

import java.util.Collection;
import java.util.Locale;

/** Suggestions for names that do not exist. */
public final class Names {
  private Names() {}

  /**
   * " (did you mean 'x'?)" for the nearest known name, or "" if none is near: at most a third of
   * its letters differ.
   */
  public static String suggestion(String wrong, Collection<String> known) {
    String best = null;
    int bestDistance = Integer.MAX_VALUE;
    for (String name : known) {
      int distance = distance(wrong.toLowerCase(Locale.ROOT), name.toLowerCase(Locale.ROOT));
      if (distance < bestDistance) {
        best = name;
        bestDistance = distance;
      }
    }
    int allowed = Math.max(1, (Math.max(wrong.length(), best == null ? 0 : best.length()) + 1) / 3);
    return best != null && bestDistance <= allowed && bestDistance < wrong.length()
        ? " (did you mean '" + best + "'?)"
        : "";
  }

  /** Edit distance: insertions, deletions, substitutions, and swaps of neighbours, each 1. */
  static int distance(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        d[i][j] = Math.min(Math.min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + change);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[a.length()][b.length()];
  }
}
