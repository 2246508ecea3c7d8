package dev.heddle.passes.rewrite;

import dev.heddle.ir.Dim;
import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import dev.heddle.ir.Value;
import dev.heddle.passes.Numerics;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Scores, the bias for choosing, top_k, get_rows, the sum with its floor, the quotient and the
 * factor in one kernel. Score function, bias, floor and factor are parameters: their absence is
 * never a refusal. The sum runs in rank order, fused or not: the same bits.
 */
public final class FuseRouter implements Rule<FuseRouter.Choice> {
  /** Scores of so many experts fit the kernel's registers or shared memory on every target. */
  static final int MOST_EXPERTS = 1024;

  /** Sums of more values run over lanes, not in index order. */
  static final int MOST_USED = 64;

  /**
   * What stands around a top_k.
   *
   * @param topK the anchor
   * @param add the bias' add, or null
   * @param scores nodes of the score function, from the logits down
   * @param score the function
   * @param scored its value
   * @param logits what it reads
   * @param gather the scores of the chosen, or null
   * @param divide sum, clamp and div, or empty
   * @param floor the clamp's least value, 0 without a division
   * @param scale the factor's node, or null
   */
  public record Choice(
      Node topK,
      Node add,
      List<Node> scores,
      Op.Score score,
      Value scored,
      Value logits,
      Node gather,
      List<Node> divide,
      double floor,
      Node scale) {
    Value weights() {
      return scale != null
          ? scale.value()
          : divide.isEmpty() ? gather.value() : divide.getLast().value();
    }
  }

  @Override
  public String name() {
    return "router";
  }

  @Override
  public Numerics numerics() {
    return Numerics.EXACT;
  }

  @Override
  public String reason() {
    return "choosing experts is a few hundred values: one launch a layer instead of six";
  }

  @Override
  public Class<? extends Op> anchor() {
    return Op.TopK.class;
  }

  @Override
  public Choice match(Node topK, Edges edges) {
    Node add =
        edges
            .maker(topK.input(0), Op.Add.class)
            .filter(a -> edges.maker(a.input(1), Op.Weight.class).isPresent())
            .orElse(null);
    Value scored = edges.base(add == null ? topK.input(0) : add.input(0));
    List<Node> scores = new ArrayList<>();
    Op.Score score = score(scored, scores, edges);
    Value logits = scores.isEmpty() ? scored : scores.getFirst().input(0);
    List<Node> gathers =
        edges.readers(topK.value()).stream()
            .filter(r ->
                r.op() instanceof Op.GetRows
                    && edges.base(r.input(0)).equals(scored)
                    && edges.base(r.input(1)).equals(topK.value()))
            .toList();
    Node gather = gathers.size() == 1 ? gathers.getFirst() : null;
    List<Node> divide = gather == null ? List.of() : division(gather, edges);
    double floor = divide.isEmpty() ? 0 : ((Op.Clamp) divide.get(1).op()).min();
    Node last = divide.isEmpty() ? gather : divide.getLast();
    Node scale = last == null ? null : edges.onlyReader(last.value(), Op.Scale.class).orElse(null);
    return new Choice(topK, add, scores, score, scored, logits, gather, divide, floor, scale);
  }

  private static Op.Score score(Value scored, List<Node> nodes, Edges edges) {
    Node node = edges.maker(scored);
    Optional<Node> softplus =
        node.op() instanceof Op.Sqrt
            ? edges.maker(node.input(0), Op.Softplus.class)
            : Optional.empty();
    if (softplus.isPresent()) {
      nodes.add(softplus.get());
      nodes.add(node);
      return Op.Score.SQRT_SOFTPLUS;
    }
    if (node.op() instanceof Op.Softmax || node.op() instanceof Op.Sigmoid) {
      nodes.add(node);
      return node.op() instanceof Op.Softmax ? Op.Score.SOFTMAX : Op.Score.SIGMOID;
    }
    return Op.Score.IDENTITY;
  }

  /** sum, clamp and div of the gathered scores, where these are read by nothing else. */
  private static List<Node> division(Node gather, Edges edges) {
    for (Node sum : edges.readers(gather.value())) {
      Node clamp =
          sum.op() instanceof Op.Sum
              ? edges.onlyReader(sum.value(), Op.Clamp.class).orElse(null)
              : null;
      Node div = clamp == null ? null : edges.onlyReader(clamp.value(), Op.Div.class).orElse(null);
      boolean isOurs =
          div != null
              && ((Op.Clamp) clamp.op()).max() == Double.POSITIVE_INFINITY
              && ((Op.Clamp) clamp.op()).min() > 0
              && edges.base(div.input(0)).equals(gather.value())
              && edges.readers(gather.value()).size() == 2
              && !edges.isOutput(gather.value());
      if (isOurs) {
        return List.of(sum, clamp, div);
      }
    }
    return List.of();
  }

  @Override
  public List<Guard<Choice>> guards() {
    return List.of(
        new Guard<>(
            "gather",
            (c, edges) ->
                Guard.Answer.of(
                    c.gather() != null,
                    c.gather() != null
                        ? Edges.name(c.gather()) + " takes the weights"
                        : "no one get_rows takes " + c.scored() + " by these ids")),
        new Guard<>("scores-stay-inside", FuseRouter::scoresStayInside),
        new Guard<>(
            "one-row",
            (c, edges) ->
                Guard.Answer.of(
                    edges.type(c.topK().input(0)).shape().rank() == 2
                        && edges.type(c.topK().input(0)).shape().dim(0).equals(Dim.T),
                    "scores are "
                        + edges.type(c.topK().input(0))
                        + "; the kernel takes one row a token")),
        new Guard<>(
            "experts",
            (c, edges) ->
                Guard.Answer.of(
                    experts(c, edges) <= MOST_EXPERTS,
                    experts(c, edges) + " experts; the kernel takes up to " + MOST_EXPERTS)),
        new Guard<>(
            "used",
            (c, edges) ->
                Guard.Answer.of(
                    used(c) <= MOST_USED,
                    used(c) + " chosen; the sum of up to " + MOST_USED + " runs in rank order")));
  }

  /** Values between the logits and the results have readers only inside. */
  private static Guard.Answer scoresStayInside(Choice c, Edges edges) {
    Set<Node> nodes = nodes(c);
    for (Node node : nodes) {
      boolean isResult =
          node.equals(c.topK()) || c.gather() != null && node.value().equals(c.weights());
      boolean isPrivate =
          !edges.isOutput(node.value()) && nodes.containsAll(edges.readers(node.value()));
      if (!isResult && !isPrivate) {
        return Guard.Answer.fail(edges.readersOf(node.value()) + "; fusing would compute it twice");
      }
    }
    return Guard.Answer.pass(nodes.size() + " nodes, read by one another");
  }

  private static long experts(Choice c, Edges edges) {
    return edges.type(c.topK().input(0)).shape().last() instanceof Dim.Const n
        ? n.value()
        : Long.MAX_VALUE;
  }

  private static int used(Choice c) {
    return ((Op.TopK) c.topK().op()).k();
  }

  private static Set<Node> nodes(Choice c) {
    Set<Node> nodes = new LinkedHashSet<>(c.scores());
    nodes.add(c.topK());
    nodes.addAll(c.divide());
    for (Node node : new Node[] {c.add(), c.gather(), c.scale()}) {
      if (node != null) {
        nodes.add(node);
      }
    }
    return nodes;
  }

  @Override
  public Set<Node> inside(Choice choice) {
    return nodes(choice);
  }

  @Override
  public Replacement rewrite(Choice c, Edges edges) {
    double factor = c.scale() == null ? 1 : ((Op.Scale) c.scale().op()).c();
    List<Value> inputs = new ArrayList<>(List.of(c.logits()));
    if (c.add() != null) {
      inputs.add(c.add().input(1));
    }
    return new Replacement(
        new Op.Router(c.score(), used(c), c.floor(), factor, c.add() != null),
        inputs,
        List.of(c.topK().value(), c.weights()));
  }
}
