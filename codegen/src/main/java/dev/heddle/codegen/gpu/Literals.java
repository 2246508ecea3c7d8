package dev.heddle.codegen.gpu;

/** Numbers as the dialects write them. */
final class Literals {
  private Literals() {}

  /** The f32 nearest to a value, exactly: a hexadecimal literal, or a word for what has none. */
  static String number(double value) {
    float f = (float) value;
    if (Float.isNaN(f)) {
      return "NOT_A_NUMBER";
    }
    if (Float.isInfinite(f)) {
      return f > 0 ? "INF" : "(-INF)";
    }
    String text = Float.toHexString(f) + "f";
    return f < 0 ? "(" + text + ")" : text;
  }
}
