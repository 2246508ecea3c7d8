package dev.heddle.passes;

import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.PlanKey.Rows;
import dev.heddle.passes.schedule.Schedule;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Launches and buffers as text, a line each. */
public final class PlanText {
  private PlanText() {}

  /**
   * What a stage added beside the graph: launches by class of steps until plans exist, then the
   * plans.
   */
  static String print(Work work) {
    StringBuilder text = new StringBuilder();
    if (work.plans().isEmpty()) {
      for (Map.Entry<Rows, Schedule> entry : work.schedules().byRows().entrySet()) {
        text.append("\nschedule ").append(entry.getKey()).append('\n');
        launches(entry.getValue().launches(), work.schedules().kernels(), text);
      }
    }
    work.plans()
        .values()
        .forEach(plan -> text.append('\n').append(print(plan, work.schedules().kernels())));
    return text.toString();
  }

  /** One plan: a head line, buffers, launches, outputs. */
  public static String print(Plan plan, List<KernelKind> kernels) {
    StringBuilder text = new StringBuilder();
    text.append("plan ")
        .append(plan.key().text())
        .append(" arena ")
        .append(plan.arenaBytes())
        .append(" B, ");
    text.append(plan.steps().size()).append(" launches\n");
    for (Plan.Buffer buffer : plan.buffers()) {
      text.append("  b")
          .append(buffer.id())
          .append(" = %")
          .append(buffer.node())
          .append(buffer.result() == 0 ? "" : "." + buffer.result());
      text.append(" : ")
          .append(buffer.type())
          .append(" at ")
          .append(buffer.offset())
          .append(" + ")
          .append(buffer.bytes());
      text.append(" B, launches ")
          .append(buffer.firstStep())
          .append(" .. ")
          .append(buffer.lastStep())
          .append('\n');
    }
    launches(plan.steps(), kernels, text);
    plan.outputs()
        .forEach(o ->
            text.append("  output ")
                .append(o.name())
                .append(" = b")
                .append(o.buffer())
                .append('\n'));
    return text.toString();
  }

  private static void launches(
      List<Plan.Launch> launches, List<KernelKind> kernels, StringBuilder text) {
    for (int i = 0; i < launches.size(); i++) {
      Plan.Launch launch = launches.get(i);
      String nodes = launch.nodes().stream().map(n -> "%" + n).collect(Collectors.joining(" "));
      text.append("  ")
          .append(i)
          .append(": k")
          .append(launch.kernel())
          .append(' ')
          .append(kernels.get(launch.kernel()));
      text.append(" (")
          .append(launch.args().stream().map(PlanText::arg).collect(Collectors.joining(", ")))
          .append(")  ; ");
      text.append(nodes).append(launch.layer() < 0 ? "" : " layer " + launch.layer()).append('\n');
    }
  }

  private static String arg(Plan.Arg arg) {
    return switch (arg) {
      case Plan.Arg.Buf b -> "b" + b.buffer() + (b.byteOffset() == 0 ? "" : "+" + b.byteOffset());
      case Plan.Arg.Weight w -> "@" + w.tensor() + "[" + w.rowFrom() + ":" + w.rowTo() + "]";
      case Plan.Arg.State s -> s.name();
      case Plan.Arg.Table t -> "table " + t.table();
    };
  }
}
