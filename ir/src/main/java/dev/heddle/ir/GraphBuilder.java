package dev.heddle.ir;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds a {@link Graph} node by node; types are inferred as nodes are added. The layer, role and
 * source set last hold for the nodes added after. Leaves are shared: asking twice for a weight,
 * state, input or constant gives one node; other nodes are never merged.
 */
public final class GraphBuilder {
  private final List<Node> nodes = new ArrayList<>();
  private final Map<Op, Value> leaves = new HashMap<>();
  private final List<Graph.Output> outputs = new ArrayList<>();
  private int layer = -1;
  private String role = "";
  private Source source = Source.NONE;

  /** Sets layer (-1 = none), role and source of the nodes to come. */
  public GraphBuilder at(int newLayer, String newRole, Source newSource) {
    layer = newLayer;
    role = newRole;
    source = newSource;
    return this;
  }

  /** Sets the layer of the nodes to come. */
  public GraphBuilder layer(int newLayer) {
    layer = newLayer;
    return this;
  }

  /** Sets the role of the nodes to come. */
  public GraphBuilder role(String newRole) {
    role = newRole;
    return this;
  }

  /** Sets the source of the nodes to come. */
  public GraphBuilder source(Source newSource) {
    source = newSource;
    return this;
  }

  /**
   * Adds a node and gives its first result.
   *
   * @throws GraphException if the inputs do not fit the op
   */
  public Value add(Op op, Value... inputs) {
    return add(op, List.of(inputs));
  }

  /** As {@link #add(Op, Value...)}. */
  public Value add(Op op, List<Value> inputs) {
    return addAll(op, inputs).get(0);
  }

  /** Adds a node and gives all its results (a router has two). */
  public List<Value> addAll(Op op, List<Value> inputs) {
    List<TensorType> types = ShapeInference.types(op, inputs.stream().map(this::type).toList());
    return append(op, inputs, types);
  }

  /**
   * Adds a copy of another graph's node over this graph's inputs, keeping layer, role and source; a
   * leaf keeps its type and is shared. Gives all results.
   */
  public List<Value> copy(Node node, List<Value> inputs) {
    int layerBefore = layer;
    String roleBefore = role;
    Source sourceBefore = source;
    at(node.layer(), node.role(), node.source());
    List<Value> results =
        switch (node.op()) {
          case Op.Weight w -> List.of(leaf(w, node.type()));
          case Op.State s -> List.of(leaf(s, node.type()));
          case Op.Input i -> List.of(leaf(i, node.type()));
          case Op.Constant c -> List.of(leaf(c, node.type()));
          default -> addAll(node.op(), inputs);
        };
    at(layerBefore, roleBefore, sourceBefore);
    return results;
  }

  /** A whole tensor of the weights. */
  public Value weight(String tensor, TensorType type) {
    return leaf(Op.Weight.whole(tensor), type);
  }

  /**
   * Rows of a tensor of the weights.
   *
   * @param rowFrom first row (values of a tensor of one dimension)
   * @param rowTo end, exclusive; -1 = to the end
   * @param type type of the rows taken, in GGUF's order
   */
  public Value weight(String tensor, long rowFrom, long rowTo, TensorType type) {
    return leaf(new Op.Weight(tensor, rowFrom, rowTo), type);
  }

  /** A state's version at the start of the step. */
  public Value state(String name, Op.Rollback rollback, TensorType type) {
    return leaf(new Op.State(name, rollback), type);
  }

  /** A value that a step brings. */
  public Value input(Op.InputKind kind) {
    Op op = new Op.Input(kind);
    return leaf(op, ShapeInference.types(op, List.of()).get(0));
  }

  /** An f32 constant. */
  public Value constant(double value) {
    Op op = new Op.Constant(value);
    return leaf(op, ShapeInference.types(op, List.of()).get(0));
  }

  /** The type of a value of this builder. */
  public TensorType type(Value value) {
    return node(value).types().get(value.result());
  }

  /** The node that makes a value of this builder. */
  public Node node(Value value) {
    if (value.node() < 0
        || value.node() >= nodes.size()
        || value.result() >= nodes.get(value.node()).types().size()) {
      throw new GraphException("there is no value " + value + " in the graph being built");
    }
    return nodes.get(value.node());
  }

  /** Names a result of the graph. */
  public GraphBuilder output(String name, Value value) {
    node(value);
    if (outputs.stream().anyMatch(o -> o.name().equals(name))) {
      throw new GraphException("the graph has two outputs named '" + name + "'");
    }
    outputs.add(new Graph.Output(name, value));
    return this;
  }

  /** The graph made so far. */
  public Graph build(String name) {
    return new Graph(name, nodes, outputs);
  }

  private Value leaf(Op op, TensorType type) {
    Value known = leaves.get(op);
    if (known == null) {
      known = append(op, List.of(), List.of(type)).get(0);
      leaves.put(op, known);
    } else if (!type(known).equals(type)) {
      throw new GraphException(
          "'" + leafName(op) + "' is used as " + type + " and as " + type(known));
    }
    return known;
  }

  private static String leafName(Op op) {
    return switch (op) {
      case Op.Weight w -> w.tensor();
      case Op.State s -> s.name();
      default -> op.text();
    };
  }

  private List<Value> append(Op op, List<Value> inputs, List<TensorType> types) {
    Node node = new Node(nodes.size(), op, inputs, types, layer, role, source);
    nodes.add(node);
    List<Value> results = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      results.add(new Value(node.id(), i));
    }
    return results;
  }
}
