package dev.heddle.passes;

import dev.heddle.ir.Graph;

/** A rewrite of a whole graph: a pure function. */
@FunctionalInterface
public interface GraphPass {
  /**
   * The rewritten graph.
   *
   * @throws NodeFault if a fault of the pass has a node to blame
   */
  Graph apply(Graph graph, PassContext context);
}
