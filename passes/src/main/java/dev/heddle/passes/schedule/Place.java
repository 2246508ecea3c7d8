package dev.heddle.passes.schedule;

import dev.heddle.ir.Op;

/** Where a graph value lives when the plan runs. */
sealed interface Place {
  /** In the arena: index of the schedule's values. */
  record Held(int value) implements Place {}

  /** In the weights. */
  record Weight(String tensor, long rowFrom, long rowTo) implements Place {}

  /** In a state's pool. */
  record State(String name) implements Place {}

  /** In the step header. */
  record Header(Op.InputKind kind) implements Place {}

  /** Nowhere: a number in the graph. */
  record Number(double value) implements Place {}
}
