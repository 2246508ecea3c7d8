package dev.heddle.ir;

/** Arithmetic of the interpreter. */
public enum Precision {
  /**
   * Every product and every partial sum rounded to f32, sums in index order; elementwise functions
   * rounded once.
   */
  F32,
  /** f64 throughout. */
  F64;

  /**
   * {@code x} as this arithmetic holds it. For f32, rounding the f64 result of + - * / of two
   * floats is the f32 operation.
   */
  double round(double x) {
    return this == F32 ? (float) x : x;
  }
}
