package dev.heddle.ir;

/**
 * How a shape maps to memory. Both are dense; they differ in the order in which dimensions are
 * written.
 */
public enum Layout {
  /** Outermost dimension first, the last dimension contiguous: activations and states. */
  ROWS,
  /** Innermost dimension first, the first dimension contiguous: weights, as GGUF stores them. */
  GGUF
}
