package dev.heddle.passes.canonical;

import dev.heddle.ir.Graph;
import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import dev.heddle.ir.Value;
import dev.heddle.passes.GraphPass;
import dev.heddle.passes.NodeFault;
import dev.heddle.passes.PassContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Brings a graph to its canonical form: composed ops expanded, views folded, neutral ops dropped,
 * constants folded, inputs of commutative ops ordered, equal nodes merged, dead nodes and captures
 * that nobody asked for dropped. Nodes are walked once: every rule looks only at inputs, which are
 * canonical already. Applying it twice changes nothing more.
 */
public final class Canonicalise implements GraphPass {
  @Override
  public Graph apply(Graph graph, PassContext context) {
    Emitter emitter = new Emitter();
    Simplify simplify = new Simplify(emitter, rows(graph));
    Map<Value, Value> renamed = new HashMap<>();
    for (Node node : graph.nodes()) {
      List<Value> inputs = node.inputs().stream().map(renamed::get).toList();
      List<Value> results;
      try {
        emitter.at(node);
        results = isUnwanted(node, context.captures()) ? inputs : simplify.node(node, inputs);
      } catch (RuntimeException e) {
        throw new NodeFault(node, e);
      }
      for (int i = 0; i < results.size(); i++) {
        renamed.put(new Value(node.id(), i), results.get(i));
      }
    }
    Graph rewritten = emitter.graph(graph.name());
    return DeadNodes.drop(
        new Graph(graph.name(), rewritten.nodes(), outputs(graph, context.captures(), renamed)));
  }

  /** Rows of each tensor that is read by row ranges: up to the end of the last range. */
  private static Map<String, Long> rows(Graph graph) {
    Map<String, Long> rows = new HashMap<>();
    for (Node node : graph.nodes()) {
      if (node.op() instanceof Op.Weight w && w.rowTo() >= 0) {
        rows.merge(w.tensor(), w.rowTo(), Math::max);
      }
    }
    return rows;
  }

  private static boolean isUnwanted(Node node, Set<String> captures) {
    return node.op() instanceof Op.Capture c && !isWanted(c, captures);
  }

  /**
   * A capture of a layer, {@code hidden[3]}, is asked for by that name or with all layers, {@code
   * hidden}.
   */
  private static boolean isWanted(Op.Capture capture, Set<String> captures) {
    String name = capture.name();
    int bracket = name.indexOf('[');
    return captures.contains(name) || bracket > 0 && captures.contains(name.substring(0, bracket));
  }

  private static List<Graph.Output> outputs(
      Graph graph, Set<String> captures, Map<Value, Value> renamed) {
    Map<Integer, Node> byId = graph.byId();
    List<Graph.Output> outputs = new ArrayList<>();
    for (Graph.Output output : graph.outputs()) {
      Op op = byId.get(output.value().node()).op();
      boolean isUnwanted =
          op instanceof Op.Capture c && c.name().equals(output.name()) && !isWanted(c, captures);
      if (!isUnwanted) {
        outputs.add(new Graph.Output(output.name(), renamed.get(output.value())));
      }
    }
    for (Node node : graph.nodes()) {
      if (node.op() instanceof Op.Capture c
          && isWanted(c, captures)
          && graph.output(c.name()).isEmpty()) {
        outputs.add(new Graph.Output(c.name(), renamed.get(node.value())));
      }
    }
    return outputs;
  }
}
