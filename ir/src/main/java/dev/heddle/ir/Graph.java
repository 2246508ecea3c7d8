package dev.heddle.ir;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An immutable dataflow graph in SSA form. Nodes stand in an order in which inputs come before
 * readers; nothing may depend on that order beyond this.
 *
 * @param name the spec's graph name ("main")
 * @param nodes all nodes; {@code nodes.get(i).id()} ascends but need not equal i
 * @param outputs named results ("logits"), captures asked for, and every state's last version
 *     (named "state:NAME")
 */
public record Graph(String name, List<Node> nodes, List<Output> outputs) {
  /** A value that leaves the graph under a name. */
  public record Output(String name, Value value) {}

  public Graph {
    nodes = List.copyOf(nodes);
    outputs = List.copyOf(outputs);
  }

  /** Nodes by id; compute once per traversal. */
  public Map<Integer, Node> byId() {
    Map<Integer, Node> map = HashMap.newHashMap(nodes.size());
    for (Node node : nodes) {
      map.put(node.id(), node);
    }
    return map;
  }

  /**
   * Readers of every value that has one, in node order; a node that reads a value twice is listed
   * twice.
   */
  public Map<Value, List<Node>> readers() {
    Map<Value, List<Node>> map = new HashMap<>();
    for (Node node : nodes) {
      for (Value input : node.inputs()) {
        map.computeIfAbsent(input, v -> new ArrayList<>()).add(node);
      }
    }
    return map;
  }

  /** The output with this name. */
  public Optional<Value> output(String outputName) {
    return outputs.stream().filter(o -> o.name().equals(outputName)).map(Output::value).findFirst();
  }
}
