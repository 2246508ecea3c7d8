package dev.heddle.ir;

/** Text that is not a graph; the message is one sentence with line and column, both from 1. */
public final class GraphParseException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int line;
  private final int column;

  GraphParseException(int line, int column, String sentence) {
    super("graph text, line " + line + ", column " + column + ": " + sentence);
    this.line = line;
    this.column = column;
  }

  /** Line of the fault, from 1. */
  public int line() {
    return line;
  }

  /** Column of the fault, from 1. */
  public int column() {
    return column;
  }
}
