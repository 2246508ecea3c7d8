package dev.heddle.passes.rewrite;

import java.util.Locale;

/**
 * What a guard says of a site.
 *
 * @param guard the guard's name
 * @param isPass true if the rule may fire as far as this guard knows
 * @param sentence why, with the numbers that decided
 */
public record Verdict(String guard, boolean isPass, String sentence) {
  /** The report's line. */
  public String text() {
    return String.format(Locale.ROOT, "%s  %s: %s", isPass ? "pass" : "FAIL", guard, sentence);
  }
}
