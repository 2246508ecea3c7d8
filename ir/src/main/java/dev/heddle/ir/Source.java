package dev.heddle.ir;

/**
 * Where a node was written: file, line and column (from 1) in the spec; {@code caller} is the
 * position of the call when the line stands in an inlined {@code def}, else null.
 */
public record Source(String file, int line, int column, Source caller) {
  /** For nodes that no spec line made (tests, passes). */
  public static final Source NONE = new Source("", 0, 0, null);

  /** A position without a caller. */
  public static Source at(String file, int line, int column) {
    return new Source(file, line, column, null);
  }

  @Override
  public String toString() {
    return file.isEmpty()
        ? "-"
        : file + ":" + line + (caller == null ? "" : " from " + caller.line);
  }
}
