package dev.heddle.passes.weights;

import dev.heddle.ir.DType;
import dev.heddle.ir.Dim;
import dev.heddle.ir.Graph;
import dev.heddle.ir.GraphBuilder;
import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.Value;
import dev.heddle.passes.GraphPass;
import dev.heddle.passes.NodeFault;
import dev.heddle.passes.PassContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes products of quantised weights read q8_1 rows (32 int8, their scale, their sum) where the
 * target has such a kernel. A value is quantised once, whatever the number of its readers. Changes
 * arithmetic: each input value is rounded to 1/127 of its block's largest.
 */
public final class Int8Activations implements GraphPass {
  @Override
  public Graph apply(Graph graph, PassContext context) {
    Map<Integer, Node> byId = graph.byId();
    Map<String, DType> loaded = LoadedTypes.of(graph, context.target());
    GraphBuilder builder = new GraphBuilder();
    Map<Value, Value> renamed = new HashMap<>();
    Map<Value, Value> quantised = new HashMap<>();
    for (Node node : graph.nodes()) {
      List<Value> inputs = new ArrayList<>(node.inputs().stream().map(renamed::get).toList());
      List<Value> results;
      try {
        if (readsInt8(node, byId, loaded, context)) {
          builder.at(node.layer(), node.role(), node.source());
          inputs.set(
              1, quantised.computeIfAbsent(inputs.get(1), x -> builder.add(new Op.Quantise(), x)));
        }
        results = builder.copy(node, inputs);
      } catch (RuntimeException e) {
        throw new NodeFault(node, e);
      }
      for (int i = 0; i < results.size(); i++) {
        renamed.put(new Value(node.id(), i), results.get(i));
      }
    }
    for (Graph.Output output : graph.outputs()) {
      builder.output(output.name(), renamed.get(output.value()));
    }
    return builder.build(graph.name());
  }

  private static boolean readsInt8(
      Node node, Map<Integer, Node> byId, Map<String, DType> loaded, PassContext context) {
    if (!(node.op() instanceof Op.Matmul || node.op() instanceof Op.MatmulId)) {
      return false;
    }
    Optional<Op.Weight> weight = LoadedTypes.weight(node.input(0), byId);
    if (weight.isEmpty()
        || !context.target().int8WeightTypes().contains(loaded.get(weight.get().tensor()))) {
      return false;
    }
    TensorType x = byId.get(node.input(1).node()).types().get(node.input(1).result());
    return x.dtype() == DType.F32
        && x.innermost() instanceof Dim.Const n
        && n.value() % DType.Q8_1.blockSize() == 0;
  }
}
