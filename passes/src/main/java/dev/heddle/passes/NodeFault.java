package dev.heddle.passes;

import dev.heddle.ir.Node;

/**
 * A fault that a pass met at one node; the pipeline adds the pass and writes the graph to a file.
 */
public final class NodeFault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public NodeFault(Node node, RuntimeException cause) {
    super(
        "%"
            + node.id()
            + " = "
            + node.op().text()
            + " : "
            + node.types()
            + " ("
            + node.source()
            + "): "
            + cause.getMessage(),
        cause);
  }
}
