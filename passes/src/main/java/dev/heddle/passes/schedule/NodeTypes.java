package dev.heddle.passes.schedule;

import dev.heddle.ir.Graph;
import dev.heddle.ir.GraphException;
import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.Value;
import dev.heddle.ir.plan.KernelKind.Count;
import java.util.Map;

/**
 * Types of a graph's nodes and of their inputs as kernels see them, and the sentence for what no
 * kernel computes.
 */
final class NodeTypes {
  private final Map<Integer, Node> byId;

  NodeTypes(Graph graph) {
    byId = graph.byId();
  }

  Op op(Value value) {
    return byId.get(value.node()).op();
  }

  TensorType type(Node node, int input) {
    Value value = node.input(input);
    return byId.get(value.node()).types().get(value.result());
  }

  /** Dimension {@code i} of an input's type, as it is written. */
  int dim(Node node, int input, int i) {
    return Math.toIntExact(type(node, input).shape().dim(i).value());
  }

  /** The node's first result. */
  Rank rank(Node node) {
    return Rank.of(node.type())
        .orElseThrow(() -> unsupported(node, "its shape " + node.type().shape() + " has no rows"));
  }

  Rank rank(Node node, int input) {
    TensorType type = type(node, input);
    return Rank.of(type).orElseThrow(() -> unsupported(node, "input " + input + " is " + type));
  }

  /** Which rows a launch for the node walks. */
  Count count(Node node) {
    return rank(node)
        .count()
        .orElseThrow(() -> unsupported(node, "it has neither tokens nor output rows"));
  }

  /** Demands that the node works on all tokens. */
  void tokensOnly(Node node) {
    if (count(node) != Count.TOKENS) {
      throw unsupported(node, "the kernel works on all tokens of a step; take rows after it");
    }
  }

  /** Demands that an input has one row for each token or output row. */
  void single(Node node, int input) {
    int perRow = rank(node, input).perRow();
    if (perRow != 1) {
      throw unsupported(node, "the kernel takes one row for each token, not " + perRow);
    }
  }

  static String name(Node node) {
    return "%"
        + node.id()
        + " = "
        + node.op().text()
        + " : "
        + node.type()
        + " ("
        + node.source()
        + ")";
  }

  static GraphException unsupported(Node node, String why) {
    return new GraphException(name(node) + " has no kernel: " + why);
  }
}
