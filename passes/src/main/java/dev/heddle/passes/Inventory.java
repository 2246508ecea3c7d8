package dev.heddle.passes;

import dev.heddle.ir.DType;
import dev.heddle.ir.Dim;
import dev.heddle.ir.Graph;
import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import dev.heddle.ir.Shape;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.bundle.Manifest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The weights and states of a graph, as a manifest lists them. */
final class Inventory {
  private Inventory() {}

  /**
   * Tensors that {@code after} reads, in order of first use. Types in files come from {@code before}. Of a tensor that is read by row
   * ranges the rows up to the last one read are listed.
   */
  static List<Manifest.Weight> weights(Graph before, Graph after) {
    Map<String, DType> stored = new HashMap<>();
    for (Node node : before.nodes()) {
      if (node.op() instanceof Op.Weight w) {
        stored.put(w.tensor(), node.type().dtype());
      }
    }
    Map<String, Manifest.Weight> weights = new LinkedHashMap<>();
    for (Node node : after.nodes()) {
      if (node.op() instanceof Op.Weight w) {
        Manifest.Weight used = new Manifest.Weight(w.tensor(), stored.get(w.tensor()), dims(w, node.type()), node.type().dtype());
        weights.merge(w.tensor(), used, Inventory::longer);
      }
    }
    return new ArrayList<>(weights.values());
  }

  /** States that {@code after} reads. */
  static List<Manifest.State> states(Graph after) {
    List<Manifest.State> states = new ArrayList<>();
    for (Node node : after.nodes()) {
      if (node.op() instanceof Op.State s) {
        Shape shape = node.type().shape();
        int d = Math.toIntExact(shape.last().value());
        int heads = Math.toIntExact(shape.constants() / d);
        String rollback = s.rollback().name().toLowerCase(Locale.ROOT);
        states.add(new Manifest.State(s.name(), layer(after, node), node.type().dtype(), heads, d, rollback));
      }
    }
    return states;
  }

  /** A state's layer is that of its first reader when the leaf itself has none. */
  private static int layer(Graph graph, Node state) {
    return state.layer() >= 0
        ? state.layer()
        : graph.nodes().stream().filter(n -> n.inputs().contains(state.value())).mapToInt(Node::layer).findFirst().orElse(-1);
  }

  private static List<Long> dims(Op.Weight weight, TensorType type) {
    List<Long> dims = new ArrayList<>(type.shape().dims().stream().map(Dim::value).toList());
    if (weight.rowTo() >= 0) {
      dims.set(Math.min(1, dims.size() - 1), weight.rowTo());
    }
    return dims;
  }

  private static Manifest.Weight longer(Manifest.Weight a, Manifest.Weight b) {
    int rows = Math.min(1, a.dims().size() - 1);
    return a.dims().get(rows) >= b.dims().get(rows) ? a : b;
  }
}
