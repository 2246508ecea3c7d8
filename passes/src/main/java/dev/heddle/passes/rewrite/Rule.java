package dev.heddle.passes.rewrite;

import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import dev.heddle.passes.Numerics;
import java.util.List;
import java.util.Set;

/**
 * A rewrite of several nodes into one.
 *
 * @param <M> a record of the nodes and values found around the anchor; what is missing is null
 */
public interface Rule<M> {
  /** The name in {@code --passes} and reports. */
  String name();

  /** What it does to values. */
  Numerics numerics();

  /** Why it exists, in one line. */
  String reason();

  /** Every node of this op is a candidate. */
  Class<? extends Op> anchor();

  /**
   * What stands around an anchor; complete or not. Only edges may decide, never the order of nodes.
   */
  M match(Node anchor, Edges edges);

  /** Conditions, in the order of the report. */
  List<Guard<M>> guards();

  /** Nodes that the rewrite replaces, for a match that all guards passed. */
  Set<Node> inside(M match);

  /** The rewrite of a match that all guards passed. */
  Replacement rewrite(M match, Edges edges);
}
