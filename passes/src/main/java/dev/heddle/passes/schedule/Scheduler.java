package dev.heddle.passes.schedule;

import dev.heddle.ir.Graph;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.PlanKey.Rows;
import dev.heddle.ir.plan.RopeTable;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Schedules of every class of steps over one numbering of kernels and rope tables. */
public final class Scheduler {
  private Scheduler() {}

  /**
   * Schedules of a graph.
   *
   * @param kernels kernel kinds in the order of {@code Launch.kernel}
   * @param ropeTables tables in the order of {@code Arg.Table}
   * @param byRows one schedule a class
   */
  public record Schedules(
      List<KernelKind> kernels, List<RopeTable> ropeTables, Map<Rows, Schedule> byRows) {}

  /**
   * Lowers a graph, whose routers are expanded and whose weights have their loaded types, for all
   * classes of steps.
   *
   * @throws dev.heddle.ir.GraphException if a node has a form that no kernel kind computes
   */
  public static Schedules of(Graph graph) {
    Numbering numbering = new Numbering();
    Map<Rows, Schedule> byRows = new EnumMap<>(Rows.class);
    for (Rows rows : Rows.values()) {
      byRows.put(rows, Lowering.of(graph, rows, numbering));
    }
    return new Schedules(numbering.kernels(), numbering.tables(), byRows);
  }
}
