package dev.heddle.passes;

import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.target.Target;
import java.util.List;
import java.util.Set;

/**
 * What passes know beside the graph.
 *
 * @param target the target's capabilities
 * @param captures names of the captures that somebody asked for
 * @param keys the plans wanted
 */
public record PassContext(Target target, Set<String> captures, List<PlanKey> keys) {
  public PassContext {
    captures = Set.copyOf(captures);
    keys = List.copyOf(keys);
  }
}
