package dev.heddle.passes.weights;

import dev.heddle.ir.DType;
import dev.heddle.ir.Graph;
import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import dev.heddle.ir.TensorType;
import dev.heddle.passes.GraphPass;
import dev.heddle.passes.PassContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Gives every weight, and every view of one, the type that it has in memory. */
public final class Layout implements GraphPass {
  @Override
  public Graph apply(Graph graph, PassContext context) {
    Map<Integer, Node> byId = graph.byId();
    Map<String, DType> loaded = LoadedTypes.of(graph, context.target());
    List<Node> nodes = new ArrayList<>(graph.nodes().size());
    for (Node node : graph.nodes()) {
      Optional<Op.Weight> weight = LoadedTypes.weight(node.value(), byId);
      nodes.add(
          weight.isPresent()
              ? withType(node, node.type().withDType(loaded.get(weight.get().tensor())))
              : node);
    }
    return new Graph(graph.name(), nodes, graph.outputs());
  }

  private static Node withType(Node node, TensorType type) {
    return new Node(
        node.id(),
        node.op(),
        node.inputs(),
        List.of(type),
        node.layer(),
        node.role(),
        node.source());
  }
}
