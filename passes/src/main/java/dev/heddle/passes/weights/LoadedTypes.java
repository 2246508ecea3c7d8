package dev.heddle.passes.weights;

import dev.heddle.ir.DType;
import dev.heddle.ir.Graph;
import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import dev.heddle.ir.Value;
import dev.heddle.ir.target.Target;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The type that every tensor has in memory. Matrices of products and embeddings stay as stored
 * where the target reads their type; all else (norms, biases, scales, rope factors, matrices of
 * other types) becomes F32 when loaded.
 */
public final class LoadedTypes {
  private LoadedTypes() {}

  /** Loaded types by tensor name. A tensor that is read both as a matrix and otherwise is F32. */
  public static Map<String, DType> of(Graph graph, Target target) {
    Map<Integer, Node> byId = graph.byId();
    Map<String, DType> loaded = new HashMap<>();
    for (Node node : graph.nodes()) {
      if (node.op() instanceof Op.Weight w) {
        loaded.putIfAbsent(
            w.tensor(),
            target.weightTypes().contains(node.type().dtype()) ? node.type().dtype() : DType.F32);
      }
    }
    for (Node node : graph.nodes()) {
      for (int i = 0; i < node.inputs().size(); i++) {
        if (!(i == 0 && readsMatrix(node.op())) && !isView(node.op())) {
          weight(node.input(i), byId).ifPresent(w -> loaded.put(w.tensor(), DType.F32));
        }
      }
    }
    return loaded;
  }

  /** The weight that a value is, seen through views. */
  static Optional<Op.Weight> weight(Value value, Map<Integer, Node> byId) {
    Node node = byId.get(value.node());
    while (isView(node.op())) {
      node = byId.get(node.input(0).node());
    }
    return node.op() instanceof Op.Weight w ? Optional.of(w) : Optional.empty();
  }

  private static boolean isView(Op op) {
    return op instanceof Op.Reshape || op instanceof Op.Slice;
  }

  private static boolean readsMatrix(Op op) {
    return op instanceof Op.Matmul
        || op instanceof Op.MatmulId
        || op instanceof Op.MatmulGrouped
        || op instanceof Op.Embed;
  }
}
