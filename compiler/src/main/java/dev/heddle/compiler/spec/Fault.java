package dev.heddle.compiler.spec;

/**
 * Leaves the evaluation of a statement. Caught where evaluation can go on; never leaves the
 * package.
 */
final class Fault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Raised by what follows from a fault that was reported already. */
  static final String REPORTED = null;

  private final transient Span span;

  Fault(Span span, String sentence) {
    super(sentence, null, false, false);
    this.span = span;
  }

  Span span() {
    return span;
  }

  boolean isReported() {
    return getMessage() == null;
  }
}
