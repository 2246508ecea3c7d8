package dev.heddle.ir;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks the rules that every graph keeps, between passes in tests and with {@code --verify}: ids
 * ascend and are unique, values are made before they are read, types are what {@link
 * ShapeInference} says, names are unique, and the versions of each state form one chain with one
 * writer each, whose end leaves the graph.
 */
public final class Verifier {
  private static final Set<Dim> SYMBOLS = Set.of(Dim.T, Dim.R, Dim.S, Dim.C);
  private static final int SHOWN = 5;

  private final Graph graph;
  private final List<String> faults = new ArrayList<>();
  private final Map<Integer, Node> seen = new HashMap<>();

  /** The leaf that a state version comes from, and who wrote the version after it. */
  private final Map<Value, Op.State> stateOf = new HashMap<>();

  private final Map<Value, Node> overwrittenBy = new HashMap<>();

  private Verifier(Graph graph) {
    this.graph = graph;
  }

  /**
   * Returns if the graph keeps all rules.
   *
   * @throws GraphException with the first sentences of {@link #faults(Graph)}
   */
  public static void verify(Graph graph) {
    List<String> faults = faults(graph);
    if (!faults.isEmpty()) {
      String more = faults.size() > SHOWN ? "; and " + (faults.size() - SHOWN) + " more" : "";
      String first = String.join("; ", faults.subList(0, Math.min(SHOWN, faults.size())));
      throw new GraphException("graph '" + graph.name() + "' is not valid: " + first + more);
    }
  }

  /**
   * Every broken rule as a sentence that names its nodes, in node order; empty for a valid graph.
   */
  public static List<String> faults(Graph graph) {
    Verifier verifier = new Verifier(graph);
    verifier.run();
    return verifier.faults;
  }

  private void run() {
    int last = -1;
    Set<String> names = new HashSet<>();
    for (Node node : graph.nodes()) {
      if (seen.containsKey(node.id())) {
        faults.add("two nodes have the number %" + node.id());
      } else if (node.id() <= last) {
        faults.add(name(node) + " stands after %" + last + ", but numbers ascend");
      }
      last = Math.max(last, node.id());
      uniqueName(node, names);
      if (inputsExist(node)) {
        types(node);
        states(node);
      }
      seen.putIfAbsent(node.id(), node);
    }
    outputs();
  }

  private static String name(Node node) {
    return "%" + node.id() + " = " + node.op().text();
  }

  private void uniqueName(Node node, Set<String> names) {
    String name =
        switch (node.op()) {
          case Op.Weight w -> "weight " + GraphPrinter.weightName(w);
          case Op.State s -> "state '" + s.name() + "'";
          case Op.Input i -> "input " + i.kind();
          case Op.Capture c -> "capture '" + c.name() + "'";
          default -> null;
        };
    if (name != null && !names.add(name)) {
      faults.add(name(node) + " defines " + name + " a second time");
    }
  }

  private boolean inputsExist(Node node) {
    boolean all = true;
    for (Value input : node.inputs()) {
      Node from = seen.get(input.node());
      if (from == null) {
        faults.add(name(node) + " reads " + input + ", which no node before it makes");
      } else if (input.result() < 0 || input.result() >= from.types().size()) {
        faults.add(
            name(node) + " reads " + input + ", but " + name(from) + " has " + results(from));
      }
      all &= from != null && input.result() >= 0 && input.result() < from.types().size();
    }
    return all;
  }

  private static String results(Node node) {
    return node.types().size() == 1 ? "one result" : node.types().size() + " results";
  }

  private void types(Node node) {
    for (TensorType type : node.types()) {
      if (!isCountable(type.shape())) {
        faults.add(name(node) + " has type " + type + ", which has more values than 64 bits count");
      }
      for (Dim.Sym symbol : type.shape().symbols()) {
        if (!SYMBOLS.contains(symbol)) {
          faults.add(
              name(node)
                  + " has type "
                  + type
                  + ", whose symbol "
                  + symbol
                  + " is not T, R, S or C");
        }
      }
    }
    switch (node.op()) {
      case Op.Weight w -> weight(node, w);
      case Op.State s -> state(node);
      default -> {
        List<TensorType> in = new ArrayList<>();
        node.inputs().forEach(v -> in.add(seen.get(v.node()).types().get(v.result())));
        try {
          List<TensorType> inferred = ShapeInference.types(node.op(), in);
          if (!inferred.equals(node.types())) {
            faults.add(
                name(node) + " has type " + node.types() + ", but its inputs make it " + inferred);
          }
        } catch (GraphException e) {
          faults.add(name(node) + ": " + e.getMessage());
        }
      }
    }
  }

  private static boolean isCountable(Shape shape) {
    long room = Long.MAX_VALUE;
    for (Dim d : shape.dims()) {
      room /= d instanceof Dim.Const c ? c.value() : 1;
    }
    return room > 0;
  }

  private void weight(Node node, Op.Weight w) {
    if (!node.inputs().isEmpty() || node.types().size() != 1) {
      faults.add(
          name(node)
              + " has no inputs and one type, not "
              + node.inputs().size()
              + " and "
              + node.types().size());
      return;
    }
    Shape shape = node.type().shape();
    if (node.type().layout() != Layout.GGUF || shape.rank() == 0 || !shape.symbols().isEmpty()) {
      faults.add(name(node) + " needs a type in GGUF's order without symbols, not " + node.type());
      return;
    }
    long rows = shape.dim(Math.min(1, shape.rank() - 1)).value();
    boolean fits = w.rowTo() == -1 || w.rowTo() - w.rowFrom() == rows;
    if (w.rowFrom() < 0 || !fits) {
      String range = w.rowFrom() + " .. " + w.rowTo();
      faults.add(
          name(node) + " takes rows " + range + ", but its type " + node.type() + " has " + rows);
    }
    if (shape.dim(0).value() % node.type().dtype().blockSize() != 0) {
      int block = node.type().dtype().blockSize();
      faults.add(
          name(node)
              + " has type "
              + node.type()
              + ", whose rows are not whole blocks of "
              + block);
    }
  }

  private void state(Node node) {
    if (!node.inputs().isEmpty() || node.types().size() != 1) {
      faults.add(
          name(node)
              + " has no inputs and one type, not "
              + node.inputs().size()
              + " and "
              + node.types().size());
      return;
    }
    Shape shape = node.type().shape();
    boolean byPosition =
        shape.rank() >= 2 && shape.dim(0).equals(Dim.C) && shape.symbols().size() == 1;
    if (node.type().layout() != Layout.ROWS || !byPosition) {
      faults.add(name(node) + " needs a type [C, ..], not " + node.type());
    }
  }

  private void states(Node node) {
    if (node.op() instanceof Op.State s) {
      stateOf.put(node.value(), s);
    }
    for (Value input : node.inputs()) {
      Node writer = overwrittenBy.get(input);
      if (writer != null && node.op() instanceof Op.KvAppend) {
        faults.add(
            name(writer)
                + " and "
                + name(node)
                + " both write the version "
                + input
                + " of a state");
      } else if (writer != null) {
        faults.add(
            name(node)
                + " reads the version "
                + input
                + " of a state, which "
                + name(writer)
                + " has overwritten");
      }
    }
    if (node.op() instanceof Op.KvAppend && !node.inputs().isEmpty()) {
      Value version = node.input(0);
      Op.State state = stateOf.get(version);
      if (state == null) {
        faults.add(name(node) + " appends to " + version + ", which is not a version of a state");
      } else {
        stateOf.put(node.value(), state);
        overwrittenBy.putIfAbsent(version, node);
      }
    }
  }

  private void outputs() {
    Set<String> names = new HashSet<>();
    Map<String, Value> states = new HashMap<>();
    for (Graph.Output output : graph.outputs()) {
      if (!names.add(output.name())) {
        faults.add("two outputs are named '" + output.name() + "'");
      }
      Value value = output.value();
      Node node = seen.get(value.node());
      if (node == null || value.result() < 0 || value.result() >= node.types().size()) {
        faults.add("output '" + output.name() + "' is " + value + ", which no node makes");
      }
      states.put(output.name(), value);
    }
    for (Map.Entry<Value, Node> written : overwrittenBy.entrySet()) {
      Value version = written.getValue().value();
      String name = "state:" + stateOf.get(version).name();
      if (!overwrittenBy.containsKey(version) && !version.equals(states.get(name))) {
        faults.add(
            name(written.getValue())
                + " writes the last version of a state, but it is not the output '"
                + name
                + "'");
      }
    }
  }
}
