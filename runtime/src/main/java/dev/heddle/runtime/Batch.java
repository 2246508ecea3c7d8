package dev.heddle.runtime;

import dev.heddle.ir.plan.PlanKey.Rows;
import java.util.Arrays;

/**
 * Rows of one step: tokens of one or more sequences, each sequence's tokens in order. A row's
 * position follows from its sequence's length. Can be cleared and used again, so that decoding
 * allocates nothing.
 */
public final class Batch {
  private final Rows rows;
  private int[] slots = new int[8];
  private int[] tokens = new int[8];
  private int[] wanted = new int[8];
  private int count;
  private int wantedCount;

  /** An empty batch of decode and verify rows, or of prompt rows. */
  public Batch(Rows rows) {
    this.rows = rows;
  }

  /** An empty batch of decode rows. */
  public static Batch step() {
    return new Batch(Rows.STEP);
  }

  /** An empty batch of prompt rows. */
  public static Batch prompt() {
    return new Batch(Rows.PROMPT);
  }

  /** Removes all rows. */
  public Batch clear() {
    count = 0;
    wantedCount = 0;
    return this;
  }

  /**
   * Appends a token to a sequence; its logits become a row of the result if {@code wantsLogits}.
   */
  public Batch add(int slot, int token, boolean wantsLogits) {
    if (count == slots.length) {
      slots = Arrays.copyOf(slots, 2 * count);
      tokens = Arrays.copyOf(tokens, 2 * count);
      wanted = Arrays.copyOf(wanted, 2 * count);
    }
    slots[count] = slot;
    tokens[count] = token;
    if (wantsLogits) {
      wanted[wantedCount++] = count;
    }
    count++;
    return this;
  }

  public Rows rows() {
    return rows;
  }

  /** T. */
  public int size() {
    return count;
  }

  /** R. */
  public int wantedRows() {
    return wantedCount;
  }

  int slot(int row) {
    return slots[row];
  }

  int token(int row) {
    return tokens[row];
  }

  /** The batch row of result row {@code i}. */
  int wanted(int i) {
    return wanted[i];
  }
}
