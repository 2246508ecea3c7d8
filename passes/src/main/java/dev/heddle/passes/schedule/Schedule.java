package dev.heddle.passes.schedule;

import dev.heddle.ir.TensorType;
import dev.heddle.ir.plan.Plan;
import java.util.List;

/**
 * Launches of one class of steps in their order, before values have a place in memory. All plans of
 * the class share it: only sizes differ from bucket to bucket.
 *
 * @param values every value that needs memory; {@link Plan.Arg.Buf#buffer()} is an index here
 * @param launches the launches
 * @param outputs values that leave the step
 */
public record Schedule(List<Held> values, List<Plan.Launch> launches, List<Plan.Output> outputs) {
  public Schedule {
    values = List.copyOf(values);
    launches = List.copyOf(launches);
    outputs = List.copyOf(outputs);
  }

  /** A value in memory: result {@code result} of graph node {@code node}. */
  public record Held(int node, int result, TensorType type) {}
}
