package dev.heddle.ir.plan.abi;

/**
 * Everything that changes from step to step. Arrays have the bucket's length; only the first {@link
 * #tokens} (or {@link #outRows}) entries count.
 */
public final class StepHeader {
  /** Positions in a KV block. */
  public static final int BLOCK = 32;

  /** T, the tokens of this step. */
  public int tokens;

  /** R, the rows whose logits are wanted. */
  public int outRows;

  /** Token ids [T]. */
  public final int[] id;

  /** Positions [T]: token t attends to positions 0 .. position[t] of its sequence. */
  public final int[] position;

  /** Sequence slots [T]. */
  public final int[] slot;

  /** Token indices of the wanted rows [R]. */
  public final int[] outRow;

  /** Block tables: blocks[slot][i] is the pool block that holds positions 32 i .. 32 i + 31. */
  public final int[][] blocks;

  /**
   * A header for up to {@code tokens} tokens of up to {@code slots} sequences of up to {@code
   * context} positions.
   */
  public StepHeader(int tokens, int slots, int context) {
    id = new int[tokens];
    position = new int[tokens];
    slot = new int[tokens];
    outRow = new int[tokens];
    blocks = new int[slots][(context + BLOCK - 1) / BLOCK];
  }
}
