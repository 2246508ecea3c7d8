package dev.heddle.passes.rewrite;

import dev.heddle.ir.DType;
import dev.heddle.ir.Dim;
import dev.heddle.ir.Layout;
import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import dev.heddle.ir.Shape;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.Value;
import dev.heddle.passes.Numerics;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * {@code a + (gate shared + sum_k w_k y_k)} in one kernel. One add alone is the residual unless it
 * adds a gated product; two adds in a row are the shared value and the residual. The sums keep
 * their order: the same bits.
 */
public final class GateIntoCombine implements Rule<GateIntoCombine.Join> {
  /**
   * The sums below a combine.
   *
   * @param combine the anchor
   * @param first the add that reads it, or null
   * @param second the add that reads that one, or null
   * @param addend what the first adds, or null
   * @param residual what the second adds, or null
   * @param gated the product of the addend with a gate [T, 1], or null
   */
  public record Join(
      Node combine, Node first, Node second, Value addend, Value residual, Node gated) {}

  @Override
  public String name() {
    return "gate-into-combine";
  }

  @Override
  public Numerics numerics() {
    return Numerics.EXACT;
  }

  @Override
  public String reason() {
    return "the shared expert's gate and the residual are added while the experts' sum is in registers";
  }

  @Override
  public Class<? extends Op> anchor() {
    return Op.Combine.class;
  }

  @Override
  public Join match(Node combine, Edges edges) {
    Node first = edges.onlyReader(combine.value(), Op.Add.class).orElse(null);
    if (first == null) {
      return new Join(combine, null, null, null, null, null);
    }
    Value addend = other(first, combine, edges);
    Node second = edges.onlyReader(first.value(), Op.Add.class).orElse(null);
    Value residual = second == null ? null : other(second, first, edges);
    if (residual == null || !isRow(edges.type(residual), combine)) {
      second = null;
      residual = null;
    }
    Node gated =
        addend == null
            ? null
            : edges
                .maker(addend, Op.Mul.class)
                .filter(m -> isGated(m, combine, edges))
                .orElse(null);
    return new Join(combine, first, second, addend, residual, gated);
  }

  @Override
  public List<Guard<Join>> guards() {
    return List.of(
        new Guard<>(
            "unfused",
            (join, edges) ->
                Guard.Answer.of(
                    isPlain(join.combine()),
                    Edges.name(join.combine())
                        + " has "
                        + (join.combine().inputs().size() - 2)
                        + " addends of its own")),
        new Guard<>(
            "one-add",
            (join, edges) ->
                Guard.Answer.of(
                    join.first() != null,
                    edges.readersOf(join.combine().value())
                        + "; the sum can be continued into one add")),
        new Guard<>(
            "addend",
            (join, edges) ->
                join.first() == null
                    ? Guard.Answer.pass("there is no add to check")
                    : join.addend() == null
                        ? Guard.Answer.fail(Edges.name(join.first()) + " adds the sum to itself")
                        : Guard.Answer.of(
                            isRow(edges.type(join.addend()), join.combine()),
                            Edges.name(join.first())
                                + " adds "
                                + edges.type(join.addend())
                                + " to "
                                + join.combine().type())));
  }

  @Override
  public Set<Node> inside(Join join) {
    Set<Node> nodes = new LinkedHashSet<>(List.of(join.combine(), join.first()));
    if (join.second() != null) {
      nodes.add(join.second());
    }
    if (join.gated() != null) {
      nodes.add(join.gated());
    }
    return nodes;
  }

  @Override
  public Replacement rewrite(Join join, Edges edges) {
    List<Value> inputs = new ArrayList<>(join.combine().inputs());
    boolean isShared = join.gated() != null || join.second() != null;
    if (join.gated() != null) {
      inputs.addAll(join.gated().inputs());
    } else {
      inputs.add(join.addend());
    }
    if (join.second() != null) {
      inputs.add(join.residual());
    }
    Node last = join.second() != null ? join.second() : join.first();
    return new Replacement(
        new Op.Combine(isShared, join.gated() != null, join.second() != null || !isShared),
        inputs,
        List.of(last.value()));
  }

  private static boolean isPlain(Node combine) {
    return combine.op() instanceof Op.Combine c && !c.shared() && !c.gate() && !c.residual();
  }

  /** The input of an add that is not the sum; null if both are. */
  private static Value other(Node add, Node sum, Edges edges) {
    boolean isFirst = edges.maker(add.input(0)).equals(sum);
    boolean isSecond = edges.maker(add.input(1)).equals(sum);
    return isFirst && isSecond ? null : isFirst ? add.input(1) : add.input(0);
  }

  private static boolean isRow(TensorType type, Node combine) {
    return type.equals(combine.type());
  }

  /** {@code shared [T, n] gate [T, 1]}, read by the add alone. */
  private static boolean isGated(Node mul, Node combine, Edges edges) {
    TensorType gate = edges.type(mul.input(1));
    boolean isColumn =
        gate.dtype() == DType.F32
            && gate.layout() == Layout.ROWS
            && gate.shape().equals(Shape.of(combine.type().shape().dim(0), Dim.of(1)));
    return isColumn
        && isRow(edges.type(mul.input(0)), combine)
        && edges.onlyReader(mul.value(), Op.Add.class).isPresent();
  }
}
