package dev.heddle.passes;

import java.util.Locale;

/** What a pass does to values. */
public enum Numerics {
  /** The same bits. */
  EXACT,
  /** Sums in another order, within the op's bound. */
  ROUNDING,
  /** Another function is computed; reports list it. */
  ARITHMETIC;

  /** Lower-case name, as reports write it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
