package dev.heddle.passes;

import dev.heddle.ir.Op;
import dev.heddle.passes.rewrite.Rewriter;
import dev.heddle.passes.rewrite.Rule;
import java.util.Set;

/**
 * A line of the pipeline's table.
 *
 * @param name the name in {@code --passes} and reports
 * @param numerics what it does to values
 * @param runs whether it runs unless somebody chose
 * @param reason why it exists, in one line
 * @param legal ops that may stand in the graph after it
 * @param step what it does
 */
public record Stage(
    String name,
    Numerics numerics,
    Runs runs,
    String reason,
    Set<Class<? extends Op>> legal,
    Step step) {
  /** When a stage runs. */
  public enum Runs {
    /** Plans cannot be made without it. */
    ALWAYS,
    /** Unless switched off. */
    BY_DEFAULT,
    /** As the target's description says. */
    AS_TARGET_SAYS,
    /** Only when asked for: it is not measured to be faster, or not on every target. */
    ON_REQUEST
  }

  /** What a stage does: a pure function. */
  @FunctionalInterface
  public interface Step {
    Work apply(Work work, PassContext context);
  }

  /** A stage that applies a rule to all its sites and records them. */
  static <M> Stage rule(Runs runs, Set<Class<? extends Op>> legal, Rule<M> rule) {
    return new Stage(
        rule.name(),
        rule.numerics(),
        runs,
        rule.reason(),
        legal,
        (work, context) -> work.rewritten(Rewriter.apply(rule, work.graph(), context)));
  }

  /** A stage that rewrites the graph. */
  static Stage rewrite(
      String name,
      Numerics numerics,
      Runs runs,
      String reason,
      Set<Class<? extends Op>> legal,
      GraphPass pass) {
    return new Stage(
        name,
        numerics,
        runs,
        reason,
        legal,
        (work, context) -> work.withGraph(pass.apply(work.graph(), context)));
  }
}
