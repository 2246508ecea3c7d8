package dev.heddle.runtime;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Logits f32[R, V] of a step, a view of the executor's memory: valid until its next step. Row r
 * belongs to the r-th row of the batch that asked for logits.
 */
public final class LogitRows {
  private MemorySegment data = MemorySegment.NULL;
  private int rows;
  private int vocabulary;

  LogitRows() {}

  /** Rows over an array of R x V values. */
  public static LogitRows of(int vocabulary, float... values) {
    return new LogitRows()
        .set(MemorySegment.ofArray(values), values.length / vocabulary, vocabulary);
  }

  LogitRows set(MemorySegment data, int rows, int vocabulary) {
    this.data = data;
    this.rows = rows;
    this.vocabulary = vocabulary;
    return this;
  }

  /** R. */
  public int rows() {
    return rows;
  }

  /** V. */
  public int vocabulary() {
    return vocabulary;
  }

  /** One logit. */
  public float at(int row, int token) {
    return data.getAtIndex(ValueLayout.JAVA_FLOAT, index(row, token));
  }

  /** Copies row {@code row} to {@code target[0 .. V)}. */
  public void copy(int row, float[] target) {
    MemorySegment.copy(data, ValueLayout.JAVA_FLOAT, 4 * index(row, 0), target, 0, vocabulary);
  }

  /** Copies row {@code row}. */
  public float[] row(int row) {
    float[] copy = new float[vocabulary];
    copy(row, copy);
    return copy;
  }

  private long index(int row, int token) {
    if (row < 0 || row >= rows || token < 0 || token >= vocabulary) {
      throw new IndexOutOfBoundsException(
          "logit [" + row + ", " + token + "] of [" + rows + ", " + vocabulary + "]");
    }
    return (long) row * vocabulary + token;
  }
}
