package dev.heddle.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * How a step's launches are shared: a stage is one launch that all threads work on, or a row of
 * short launches that one thread does while the others wait, because threads meet only between
 * stages (0.4 to 3 us) and a short launch is not worth a meeting.
 */
final class Stages {
  /**
   * Two meetings and the imbalance of small shares; break-even with two threads lies near twice a
   * meeting.
   */
  private static final double SHORT_NANOS = 8_000;

  /**
   * Work that a thread takes at once from a long launch: long against a piece's own start (reading
   * the input row), short against the time that a busy machine may take a thread away.
   */
  private static final double PIECE_NANOS = 100_000;

  private static final int MOST_PIECES = 32;
  private static final VarHandle TAKEN = MethodHandles.arrayElementVarHandle(int[].class);

  private final LaunchCost[] costs;
  private final int[] first;
  private final boolean[] isShared;
  private final int[] pieces;
  private final int[] taken;
  private int count;

  Stages(LaunchCost[] costs) {
    this.costs = costs;
    pieces = new int[costs.length + 1];
    taken = new int[costs.length + 1];
    first = new int[costs.length + 1];
    isShared = new boolean[costs.length + 1];
  }

  /** Divides the launches for one step; allocates nothing. */
  void divide(int tokens, int outRows, double positions) {
    count = 0;
    for (int launch = 0; launch < costs.length; launch++) {
      double nanos = costs[launch].nanos(tokens, outRows, positions);
      boolean shared = nanos > SHORT_NANOS;
      if (shared || count == 0 || isShared[count - 1]) {
        first[count] = launch;
        taken[count] = 0;
        pieces[count] = (int) Math.min(MOST_PIECES, nanos / PIECE_NANOS);
        isShared[count++] = shared;
      }
    }
    first[count] = costs.length;
  }

  int count() {
    return count;
  }

  /** First launch of a stage; that of the stage behind the last is the number of launches. */
  int first(int stage) {
    return first[stage];
  }

  /** True if all threads work on the stage's one launch. */
  boolean isShared(int stage) {
    return isShared[stage];
  }

  /**
   * Pieces of a shared stage that threads take one after another; fewer than threads: equal shares.
   */
  int pieces(int stage) {
    return pieces[stage];
  }

  /** The next piece that nobody has taken; too large when none is left. */
  int take(int stage) {
    return (int) TAKEN.getAndAdd(taken, stage, 1);
  }
}
