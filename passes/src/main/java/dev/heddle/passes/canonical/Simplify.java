package dev.heddle.passes.canonical;

import dev.heddle.ir.DType;
import dev.heddle.ir.Dim;
import dev.heddle.ir.Layout;
import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.Value;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** The local rules: what one op over canonical inputs becomes. */
final class Simplify {
  private final Emitter emitter;
  private final Expand expand;
  private final Map<String, Long> rows;

  /**
   * Rules that emit to a graph.
   *
   * @param rows rows of tensors that are read by row ranges
   */
  Simplify(Emitter emitter, Map<String, Long> rows) {
    this.emitter = emitter;
    this.rows = rows;
    this.expand = new Expand(this);
  }

  /** Canonical results of a node whose inputs are canonical. */
  List<Value> node(Node node, List<Value> inputs) {
    return switch (node.op()) {
      case Op.Input o -> emitter.leaf(node);
      case Op.Weight o -> emitter.leaf(node);
      case Op.State o -> emitter.leaf(node);
      case Op.Constant o -> emitter.leaf(node);
      case Op.Router o -> expand.router(o, inputs);
      case Op.Combine o when o.shared() || o.residual() -> List.of(expand.combine(o, inputs));
      default ->
          inputs.isEmpty()
              ? emitter.addAll(node.op(), inputs)
              : List.of(op(node.op(), inputs.toArray(Value[]::new)));
    };
  }

  /** The canonical result of an op that has one. */
  Value op(Op op, Value... in) {
    return switch (op) {
      case Op.Reshape o -> reshape(o, in[0]);
      case Op.Slice o -> slice(o, in[0]);
      case Op.Concat o -> concat(o, in);
      case Op.Scale o when o.c() == 1 && isF32Rows(in[0]) -> in[0];
      case Op.Clamp o when isUnbounded(o) && isF32Rows(in[0]) -> in[0];
      case Op.MatmulId o -> matmulId(o, in);
      case Op.Add o -> commutative(o, in[0], in[1]);
      case Op.Mul o -> mul(o, in[0], in[1]);
      default -> folded(op, in);
    };
  }

  private Value reshape(Op.Reshape op, Value x) {
    Value base = emitter.node(x).op() instanceof Op.Reshape ? emitter.node(x).input(0) : x;
    return emitter.type(base).shape().equals(op.shape()) ? base : emitter.add(op, base);
  }

  private Value slice(Op.Slice op, Value x) {
    TensorType type = emitter.type(x);
    int dim = op.dim() < 0 ? type.shape().rank() + op.dim() : op.dim();
    if (op.from() == 0 && op.to() == type.shape().dim(dim).value()) {
      return x;
    }
    Node below = emitter.node(x);
    if (below.op() instanceof Op.Slice s && s.dim() == dim) {
      return slice(new Op.Slice(dim, s.from() + op.from(), s.from() + op.to()), below.input(0));
    }
    boolean isRowRange = type.layout() == Layout.GGUF && (dim == 1 || type.shape().rank() == 1);
    if (below.op() instanceof Op.Weight w && isRowRange) {
      TensorType taken = type.withShape(type.shape().with(dim, Dim.of(op.to() - op.from())));
      return emitter.weight(w.tensor(), w.rowFrom() + op.from(), w.rowFrom() + op.to(), taken);
    }
    return emitter.add(new Op.Slice(dim, op.from(), op.to()), x);
  }

  /**
   * Joins two at a time, so that kernels need know only pairs; dimensions are counted from the
   * front.
   */
  private Value concat(Op.Concat op, Value[] in) {
    int dim = op.dim() < 0 ? emitter.type(in[0]).shape().rank() + op.dim() : op.dim();
    Value joined = in[0];
    for (int i = 1; i < in.length; i++) {
      joined = emitter.add(new Op.Concat(dim), joined, in[i]);
    }
    return joined;
  }

  /**
   * Rows of experts do not lie together in memory (all rows of one expert come before the next
   * one's), so a product with some rows is those columns of the product with all. Gate and up of
   * one stacked tensor thus become one product.
   */
  private Value matmulId(Op.MatmulId op, Value[] in) {
    if (!(emitter.node(in[0]).op() instanceof Op.Weight w) || w.rowTo() < 0 || op.bias()) {
      return emitter.add(op, in);
    }
    TensorType part = emitter.type(in[0]);
    Value[] whole = in.clone();
    whole[0] =
        emitter.weight(
            w.tensor(), 0, -1, part.withShape(part.shape().with(1, Dim.of(rows.get(w.tensor())))));
    return slice(new Op.Slice(2, w.rowFrom(), w.rowTo()), emitter.add(op, whole));
  }

  private Value mul(Op.Mul op, Value x, Value y) {
    OptionalDouble factor = constant(y);
    if (factor.isPresent() && constant(x).isEmpty()) {
      return op(new Op.Scale(factor.getAsDouble()), x);
    }
    return commutative(op, x, y);
  }

  private Value commutative(Op op, Value x, Value y) {
    boolean swaps = emitter.type(x).equals(emitter.type(y)) && emitter.isBefore(y, x);
    return swaps ? folded(op, y, x) : folded(op, x, y);
  }

  /**
   * An op of constants as a constant, where f32 and f64 arithmetic give the same number; else the
   * op.
   */
  private Value folded(Op op, Value... in) {
    OptionalDouble a = constant(in[0]);
    if (a.isPresent() && in.length <= 2) {
      OptionalDouble b = in.length == 2 ? constant(in[1]) : OptionalDouble.of(0);
      OptionalDouble result =
          b.isPresent() ? result(op, a.getAsDouble(), b.getAsDouble()) : OptionalDouble.empty();
      if (result.isPresent()
          && isF32(result.getAsDouble())
          && isF32(a.getAsDouble())
          && isF32(b.getAsDouble())) {
        return emitter.constant(result.getAsDouble());
      }
    }
    return emitter.add(op, in);
  }

  private static OptionalDouble result(Op op, double a, double b) {
    return switch (op) {
      case Op.Add o -> OptionalDouble.of(a + b);
      case Op.Sub o -> OptionalDouble.of(a - b);
      case Op.Mul o -> OptionalDouble.of(a * b);
      case Op.Div o -> OptionalDouble.of(a / b);
      case Op.Neg o -> OptionalDouble.of(-a);
      case Op.Abs o -> OptionalDouble.of(Math.abs(a));
      case Op.Scale o when isF32(o.c()) -> OptionalDouble.of(o.c() * a);
      default -> OptionalDouble.empty();
    };
  }

  private OptionalDouble constant(Value value) {
    return emitter.node(value).op() instanceof Op.Constant c
        ? OptionalDouble.of(c.value())
        : OptionalDouble.empty();
  }

  /** NaN is left alone: its bits may differ. */
  private static boolean isF32(double value) {
    return (double) (float) value == value;
  }

  private static boolean isUnbounded(Op.Clamp clamp) {
    return clamp.min() == Double.NEGATIVE_INFINITY && clamp.max() == Double.POSITIVE_INFINITY;
  }

  private boolean isF32Rows(Value value) {
    return emitter.type(value).dtype() == DType.F32 && emitter.type(value).layout() == Layout.ROWS;
  }
}
