package dev.heddle.passes.rewrite;

import dev.heddle.ir.Graph;
import dev.heddle.ir.GraphBuilder;
import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import dev.heddle.ir.Shape;
import dev.heddle.ir.Value;
import dev.heddle.passes.NodeFault;
import dev.heddle.passes.PassContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Applies a rule to every site of a graph. */
public final class Rewriter {
  /** A rewritten graph and all candidates, in the order of their anchors. */
  public record Result(Graph graph, List<Site> sites) {}

  private record Firing(Node anchor, Replacement replacement) {}

  private final Map<Integer, Node> byId;
  private final Map<Value, Firing> replaced = new HashMap<>();
  private final Set<Integer> inside = new HashSet<>();
  private final Set<Integer> started = new HashSet<>();
  private final Map<Value, Value> renamed = new HashMap<>();
  private final GraphBuilder builder = new GraphBuilder();

  private Rewriter(Graph graph) {
    this.byId = graph.byId();
  }

  /**
   * Applies a rule.
   *
   * @throws NodeFault if the rule fails at a node
   */
  public static <M> Result apply(Rule<M> rule, Graph graph, PassContext context) {
    Rewriter rewriter = new Rewriter(graph);
    Edges edges = new Edges(graph, context);
    List<Site> sites = new ArrayList<>();
    for (Node node : graph.nodes()) {
      if (rule.anchor().isInstance(node.op())) {
        try {
          sites.add(rewriter.site(rule, node, edges));
        } catch (RuntimeException e) {
          throw new NodeFault(node, e);
        }
      }
    }
    return new Result(rewriter.replaced.isEmpty() ? graph : rewriter.rebuilt(graph), sites);
  }

  private <M> Site site(Rule<M> rule, Node anchor, Edges edges) {
    M match = rule.match(anchor, edges);
    List<Verdict> verdicts = new ArrayList<>();
    rule.guards().forEach(guard -> verdicts.add(guard.verdict(match, edges)));
    boolean isFired = verdicts.stream().allMatch(Verdict::isPass);
    int saved = 0;
    if (isFired) {
      Set<Node> nodes = rule.inside(match);
      List<Integer> taken = nodes.stream().map(Node::id).filter(inside::contains).sorted().toList();
      if (taken.isEmpty()) {
        Firing firing = new Firing(anchor, rule.rewrite(match, edges));
        firing.replacement().results().forEach(value -> replaced.put(value, firing));
        nodes.forEach(node -> inside.add(node.id()));
        saved = nodes.size() - 1;
      } else {
        verdicts.add(
            new Verdict(
                "one-site",
                false,
                "%" + taken.getFirst() + " belongs to another site of this rule"));
        isFired = false;
      }
    }
    return new Site(
        rule.name(),
        Edges.name(anchor),
        anchor.layer(),
        anchor.source().toString(),
        isFired,
        saved,
        verdicts);
  }

  private Graph rebuilt(Graph graph) {
    for (Node node : graph.nodes()) {
      // reshapes are emitted when somebody reads them: those inside a match are read no more
      if (!inside.contains(node.id()) && !(node.op() instanceof Op.Reshape)) {
        emit(node);
      }
    }
    graph.outputs().forEach(output -> builder.output(output.name(), value(output.value())));
    return builder.build(graph.name());
  }

  private void emit(Node node) {
    if (renamed.containsKey(node.value())) {
      return;
    }
    List<Value> inputs = node.inputs().stream().map(this::value).toList();
    List<Value> results = builder.copy(node, inputs);
    for (int i = 0; i < results.size(); i++) {
      renamed.put(new Value(node.id(), i), results.get(i));
    }
  }

  /** The new graph's value; what computes it is emitted first, wherever it stood. */
  private Value value(Value old) {
    if (!renamed.containsKey(old)) {
      Firing firing = replaced.get(old);
      if (firing != null) {
        emit(firing);
      } else {
        emit(byId.get(old.node()));
      }
    }
    return renamed.get(old);
  }

  private void emit(Firing firing) {
    if (!started.add(firing.anchor().id())) {
      throw new HeddleBug(
          "the rewrite at " + Edges.name(firing.anchor()) + " would read its own result");
    }
    List<Value> inputs = firing.replacement().inputs().stream().map(this::value).toList();
    Node anchor = firing.anchor();
    builder.at(anchor.layer(), anchor.role(), anchor.source());
    List<Value> results = builder.addAll(firing.replacement().op(), inputs);
    for (int i = 0; i < results.size(); i++) {
      Value old = firing.replacement().results().get(i);
      Shape shape = byId.get(old.node()).types().get(old.result()).shape();
      Value made = results.get(i);
      renamed.put(
          old,
          builder.type(made).shape().equals(shape)
              ? made
              : builder.add(new Op.Reshape(shape), made));
    }
  }
}
