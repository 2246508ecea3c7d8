package dev.heddle.passes.schedule;

import dev.heddle.ir.DType;
import dev.heddle.ir.Dim;
import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.Shape;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.PlanKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Gives every value of a schedule its offset in one arena. A value lives from the launch that
 * writes it to the last one that reads it; memory is handed on only after that launch, so a
 * launch's inputs and outputs never overlap. Outputs live to the end.
 */
public final class MemoryPlan {
  private MemoryPlan() {}

  /** The plan of one bucket. */
  public static Plan of(Schedule schedule, PlanKey key) {
    int count = schedule.values().size();
    int steps = schedule.launches().size();
    int[] first = new int[count];
    int[] last = new int[count];
    Arrays.fill(first, -1);
    for (int step = 0; step < steps; step++) {
      for (Plan.Arg arg : schedule.launches().get(step).args()) {
        if (arg instanceof Plan.Arg.Buf buf) {
          if (first[buf.buffer()] < 0) {
            first[buf.buffer()] = step;
          }
          last[buf.buffer()] = step;
        }
      }
    }
    for (Plan.Output output : schedule.outputs()) {
      last[output.buffer()] = steps;
    }
    List<List<Integer>> born = perStep(first, steps);
    List<List<Integer>> dead = perStep(last, steps + 1);
    Arena arena = new Arena();
    Plan.Buffer[] buffers = new Plan.Buffer[count];
    for (int step = 0; step < steps; step++) {
      for (int id : born.get(step)) {
        Schedule.Held value = schedule.values().get(id);
        long bytes = bytes(value.type(), key);
        buffers[id] =
            new Plan.Buffer(
                id,
                value.node(),
                value.result(),
                value.type(),
                arena.take(bytes),
                bytes,
                first[id],
                last[id]);
      }
      for (int id : dead.get(step)) {
        arena.give(buffers[id].offset(), buffers[id].bytes());
      }
    }
    return new Plan(key, arena.size(), List.of(buffers), schedule.launches(), schedule.outputs());
  }

  /**
   * Bytes of a value in a bucket.
   *
   * @throws HeddleBug if the shape has a symbol other than T or R
   */
  public static long bytes(TensorType type, PlanKey key) {
    long rows = 1;
    Shape shape = type.shape();
    for (Dim.Sym symbol : shape.symbols()) {
      rows = Math.multiplyExact(rows, rows(symbol, key));
    }
    DType dtype = type.dtype();
    return Math.multiplyExact(rows, dtype.bytes(shape.constants()));
  }

  private static long rows(Dim.Sym symbol, PlanKey key) {
    if (symbol.equals(Dim.T)) {
      return key.tokens();
    }
    if (symbol.equals(Dim.R)) {
      return key.outRows();
    }
    throw new HeddleBug(
        "a buffer of a step has dimension " + symbol + ", whose size no plan key gives");
  }

  private static List<List<Integer>> perStep(int[] step, int steps) {
    List<List<Integer>> lists = new ArrayList<>(steps);
    for (int i = 0; i < steps; i++) {
      lists.add(new ArrayList<>());
    }
    for (int id = 0; id < step.length; id++) {
      if (step[id] < 0) {
        throw new HeddleBug("no launch writes value " + id + " of the schedule");
      }
      lists.get(step[id]).add(id);
    }
    return lists;
  }
}
