package dev.heddle.runtime;

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

  private final LaunchCost[] costs;
  private final int[] first;
  private final boolean[] isShared;
  private int count;

  Stages(LaunchCost[] costs) {
    this.costs = costs;
    first = new int[costs.length + 1];
    isShared = new boolean[costs.length + 1];
  }

  /** Divides the launches for one step; allocates nothing. */
  void divide(int tokens, int outRows, double positions) {
    count = 0;
    for (int launch = 0; launch < costs.length; launch++) {
      boolean shared = costs[launch].nanos(tokens, outRows, positions) > SHORT_NANOS;
      if (shared || count == 0 || isShared[count - 1]) {
        first[count] = launch;
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
}
