package dev.heddle.passes.canonical;

import dev.heddle.ir.Graph;
import dev.heddle.ir.Node;
import dev.heddle.ir.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Drops nodes that no output needs and numbers the rest from 0. */
final class DeadNodes {
  private DeadNodes() {}

  static Graph drop(Graph graph) {
    Set<Integer> live = new HashSet<>();
    for (Graph.Output output : graph.outputs()) {
      live.add(output.value().node());
    }
    for (Node node : graph.nodes().reversed()) {
      if (live.contains(node.id())) {
        node.inputs().forEach(input -> live.add(input.node()));
      }
    }
    Map<Integer, Integer> number = new HashMap<>();
    List<Node> kept = new ArrayList<>();
    for (Node node : graph.nodes()) {
      if (live.contains(node.id())) {
        number.put(node.id(), kept.size());
        kept.add(
            node.withInputs(node.inputs().stream().map(v -> renumbered(v, number)).toList())
                .withId(kept.size()));
      }
    }
    List<Graph.Output> outputs =
        graph.outputs().stream()
            .map(o -> new Graph.Output(o.name(), renumbered(o.value(), number)))
            .toList();
    return new Graph(graph.name(), kept, outputs);
  }

  private static Value renumbered(Value value, Map<Integer, Integer> number) {
    return new Value(number.get(value.node()), value.result());
  }
}
