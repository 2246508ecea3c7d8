package dev.heddle.passes.rewrite;

import dev.heddle.ir.Graph;
import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.Value;
import dev.heddle.passes.PassContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Use-def edges of a graph as rules see them: reshapes are part of an edge, and graph outputs are
 * readers.
 */
public final class Edges {
  private final PassContext context;
  private final Map<Integer, Node> byId;
  private final Map<Value, Set<Node>> readers = new HashMap<>();
  private final Set<Value> outputs = new HashSet<>();

  Edges(Graph graph, PassContext context) {
    this.context = context;
    this.byId = graph.byId();
    for (Node node : graph.nodes()) {
      if (!(node.op() instanceof Op.Reshape)) {
        for (Value input : node.inputs()) {
          readers.computeIfAbsent(base(input), v -> new LinkedHashSet<>()).add(node);
        }
      }
    }
    graph.outputs().forEach(output -> outputs.add(base(output.value())));
  }

  /** The target and what was asked for. */
  public PassContext context() {
    return context;
  }

  /** The value beneath reshapes. */
  public Value base(Value value) {
    Node node = byId.get(value.node());
    return node.op() instanceof Op.Reshape ? base(node.input(0)) : value;
  }

  /** The node that computes a value, beneath reshapes. */
  public Node maker(Value value) {
    return byId.get(base(value).node());
  }

  /** The maker if it is of this op. */
  public Optional<Node> maker(Value value, Class<? extends Op> op) {
    return Optional.of(maker(value)).filter(node -> op.isInstance(node.op()));
  }

  /** Nodes that read a value, directly or reshaped, each once. */
  public List<Node> readers(Value value) {
    return new ArrayList<>(readers.getOrDefault(base(value), Set.of()));
  }

  /** True if a value leaves the graph, directly or reshaped. */
  public boolean isOutput(Value value) {
    return outputs.contains(base(value));
  }

  /** The one reader of a value that no other node and no output reads. */
  public Optional<Node> onlyReader(Value value, Class<? extends Op> op) {
    List<Node> all = readers(value);
    boolean isOne = all.size() == 1 && !isOutput(value) && op.isInstance(all.getFirst().op());
    return isOne ? Optional.of(all.getFirst()) : Optional.empty();
  }

  /** The type of a value as it is read. */
  public TensorType type(Value value) {
    return byId.get(value.node()).types().get(value.result());
  }

  /** {@code %12 = softmax}. */
  public static String name(Node node) {
    return "%" + node.id() + " = " + node.op().text();
  }

  /** {@code %12 = softmax has 2 readers (%13 = top_k, %15 = capture)}. */
  public String readersOf(Value value) {
    List<String> names = new ArrayList<>(readers(value).stream().map(Edges::name).toList());
    if (isOutput(value)) {
      names.add("output");
    }
    return name(maker(value))
        + " has "
        + names.size()
        + (names.size() == 1 ? " reader (" : " readers (")
        + String.join(", ", names)
        + ")";
  }
}
