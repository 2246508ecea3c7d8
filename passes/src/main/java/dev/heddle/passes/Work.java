package dev.heddle.passes;

import dev.heddle.ir.Graph;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.PlanKey.Rows;
import dev.heddle.passes.rewrite.Rewriter;
import dev.heddle.passes.rewrite.Site;
import dev.heddle.passes.schedule.Scheduler;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What travels down the pipeline.
 *
 * @param graph the graph so far
 * @param schedules launches by class of steps; without kernels before the schedule
 * @param plans plans by key; empty before the memory plan
 * @param sites candidates of the rules that ran, in the order of rules and anchors
 */
public record Work(
    Graph graph, Scheduler.Schedules schedules, Map<PlanKey, Plan> plans, List<Site> sites) {
  /** A graph that no stage has seen. */
  static Work of(Graph graph) {
    return new Work(
        graph, new Scheduler.Schedules(List.of(), List.of(), Map.of()), Map.of(), List.of());
  }

  Work withGraph(Graph other) {
    return new Work(other, schedules, plans, sites);
  }

  Work rewritten(Rewriter.Result result) {
    List<Site> all = new ArrayList<>(sites);
    all.addAll(result.sites());
    return new Work(result.graph(), schedules, plans, List.copyOf(all));
  }

  Work scheduled() {
    return new Work(graph, Scheduler.of(graph), plans, sites);
  }

  Work planned(List<PlanKey> keys) {
    Map<PlanKey, Plan> made = new LinkedHashMap<>();
    for (PlanKey key : keys) {
      Rows rows = key.rows();
      made.put(key, dev.heddle.passes.schedule.MemoryPlan.of(schedules.byRows().get(rows), key));
    }
    return new Work(graph, schedules, made, sites);
  }
}
