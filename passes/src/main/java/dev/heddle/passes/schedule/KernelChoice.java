package dev.heddle.passes.schedule;

import static dev.heddle.passes.schedule.NodeTypes.unsupported;

import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.KernelKind.Binary;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.PlanKey.Rows;

/** The kernel kind of every op that has one, with all its parameters. */
final class KernelChoice {
  private final NodeTypes types;
  private final Rows rows;

  KernelChoice(NodeTypes types, Rows rows) {
    this.types = types;
    this.rows = rows;
  }

  /**
   * The kernel of a node.
   *
   * @throws dev.heddle.ir.GraphException if the node has a form that no kernel kind computes
   */
  KernelKind of(Node node) {
    return switch (node.op()) {
      case Op.Input o -> throw notLaunched(node);
      case Op.Weight o -> throw notLaunched(node);
      case Op.State o -> throw notLaunched(node);
      case Op.Constant o -> throw notLaunched(node);
      case Op.Reshape o -> throw notLaunched(node);
      case Op.Capture o -> throw notLaunched(node);
      case Op.Router o -> router(node, o);
      case Op.MatmulGrouped o -> throw unsupported(node, "no kernel kind multiplies by groups");
      case Op.Embed o -> embed(node, o);
      case Op.GetRows o -> gather(node);
      case Op.TakeRows o -> new KernelKind.TakeRowsKernel(types.rank(node, 0).values());
      case Op.Matmul o -> matmul(node, o);
      case Op.MatmulId o -> expertMatmul(node, o);
      case Op.Add o -> binary(node, Binary.ADD);
      case Op.Sub o -> binary(node, Binary.SUB);
      case Op.Mul o -> binary(node, Binary.MUL);
      case Op.Div o -> binary(node, Binary.DIV);
      case Op.Scale o -> unary(node);
      case Op.Clamp o -> unary(node);
      case Op.Neg o -> unary(node);
      case Op.Abs o -> unary(node);
      case Op.Exp o -> unary(node);
      case Op.Sqrt o -> unary(node);
      case Op.Tanh o -> unary(node);
      case Op.Relu o -> unary(node);
      case Op.Sigmoid o -> unary(node);
      case Op.Silu o -> unary(node);
      case Op.GeluTanh o -> unary(node);
      case Op.GeluErf o -> unary(node);
      case Op.Softplus o -> unary(node);
      case Op.Softcap o -> unary(node);
      case Op.Glu o ->
          new KernelKind.GluKernel(types.count(node), perRow(node), inner(node), o.act());
      case Op.RmsNorm o ->
          new KernelKind.RmsNormKernel(
              types.count(node), perRow(node), inner(node), o.eps(), o.weight());
      case Op.L2Norm o ->
          new KernelKind.L2NormKernel(types.count(node), perRow(node), inner(node), o.eps());
      case Op.Rope o -> rope(node, o);
      case Op.KvAppend o -> kvAppend(node);
      case Op.Attention o -> attention(node, o);
      case Op.Combine o -> combine(node, o);
      case Op.Sum o -> reduce(node, KernelKind.Reduce.SUM);
      case Op.Max o -> reduce(node, KernelKind.Reduce.MAX);
      case Op.Mean o -> reduce(node, KernelKind.Reduce.MEAN);
      case Op.Softmax o ->
          new KernelKind.SoftmaxKernel(types.count(node), perRow(node), inner(node));
      case Op.TopK o -> topK(node, o);
      case Op.Argmax o -> argmax(node);
      case Op.Slice o -> slice(node, o);
      case Op.Concat o -> concat(node, o);
      case Op.Quantise o ->
          new KernelKind.QuantiseKernel(types.count(node), perRow(node), inner(node));
      case Op.Dequantise o ->
          new KernelKind.DequantiseKernel(types.count(node), perRow(node), inner(node));
    };
  }

  private KernelKind embed(Node node, Op.Embed op) {
    TensorType w = types.type(node, 0);
    return new KernelKind.EmbedKernel(
        w.dtype(), types.dim(node, 0, 0), w.shape().dim(1).value(), op.scale());
  }

  private KernelKind gather(Node node) {
    types.tokensOnly(node);
    Rank x = types.rank(node, 0);
    Rank ids = types.rank(node, 1);
    boolean isOfValues = x.dims().size() == 1 || x.dims().size() == 2 && x.inner() == 1;
    if (!isOfValues || ids.dims().size() != 1) {
      throw unsupported(node, "the kernel gathers single values of a row");
    }
    return new KernelKind.GatherKernel(x.values(), ids.values());
  }

  private KernelKind matmul(Node node, Op.Matmul op) {
    types.single(node, 1);
    return new KernelKind.MatmulKernel(
        rows,
        types.count(node),
        types.type(node, 0).dtype(),
        types.type(node, 1).dtype(),
        types.dim(node, 0, 0),
        types.dim(node, 0, 1),
        op.bias(),
        op.scale());
  }

  private KernelKind expertMatmul(Node node, Op.MatmulId op) {
    types.tokensOnly(node);
    if (types.op(node.input(0)) instanceof Op.Weight part && part.rowTo() >= 0) {
      throw unsupported(
          node, "rows of the experts in " + part.tensor() + " do not lie together in memory");
    }
    return new KernelKind.ExpertMatmulKernel(
        rows,
        types.type(node, 0).dtype(),
        types.type(node, 1).dtype(),
        types.dim(node, 0, 0),
        types.dim(node, 0, 1),
        types.dim(node, 0, 2),
        types.rank(node, 2).inner(),
        types.type(node, 1).shape().rank() == 3,
        op.bias(),
        op.scale());
  }

  private KernelKind unary(Node node) {
    return Elementwise.unary(node.op(), types.count(node), types.rank(node).values());
  }

  private KernelKind binary(Node node, Binary function) {
    types.count(node);
    return Elementwise.binary(function, types.rank(node, 0), types.rank(node, 1))
        .orElseThrow(() ->
            unsupported(
                node,
                "no kernel broadcasts " + types.type(node, 1) + " over " + types.type(node, 0)));
  }

  private KernelKind reduce(Node node, KernelKind.Reduce function) {
    Rank x = types.rank(node, 0);
    return new KernelKind.ReduceKernel(types.count(node), x.perRow(), x.inner(), function);
  }

  private KernelKind rope(Node node, Op.Rope op) {
    types.tokensOnly(node);
    return new KernelKind.RopeKernel(op.kind(), perRow(node), inner(node), op.dims());
  }

  private KernelKind kvAppend(Node node) {
    if (types.rank(node, 1).dims().size() != 2) {
      throw unsupported(node, "the kernel appends rows [T, heads, d]");
    }
    return new KernelKind.KvAppendKernel(
        types.type(node, 0).dtype(), types.dim(node, 0, 1), types.dim(node, 0, 2));
  }

  private KernelKind attention(Node node, Op.Attention op) {
    return new KernelKind.AttentionKernel(
        rows,
        types.type(node, 1).dtype(),
        types.type(node, 2).dtype(),
        types.dim(node, 0, 1),
        types.dim(node, 1, 1),
        types.dim(node, 1, 2),
        types.dim(node, 2, 2),
        op.scale());
  }

  private KernelKind combine(Node node, Op.Combine op) {
    types.tokensOnly(node);
    return new KernelKind.CombineKernel(
        types.dim(node, 0, 1), types.dim(node, 0, 2), op.shared(), op.gate(), op.residual());
  }

  private KernelKind router(Node node, Op.Router op) {
    types.tokensOnly(node);
    types.single(node, 0);
    return new KernelKind.RouterKernel(
        op.score(), types.rank(node, 0).inner(), op.k(), op.floor(), op.scale(), op.bias());
  }

  private KernelKind topK(Node node, Op.TopK op) {
    types.tokensOnly(node);
    types.single(node, 0);
    return new KernelKind.TopKKernel(types.rank(node, 0).inner(), op.k());
  }

  private KernelKind argmax(Node node) {
    if (types.count(node) != Count.OUT_ROWS) {
      throw unsupported(node, "the kernel reads output rows");
    }
    types.single(node, 0);
    return new KernelKind.ArgmaxKernel(types.rank(node, 0).inner());
  }

  private KernelKind slice(Node node, Op.Slice op) {
    Rank x = types.rank(node, 0);
    int at = constantDim(node, op.dim(), x);
    int unit = x.product(at + 1, x.dims().size());
    return new KernelKind.SliceKernel(
        types.count(node),
        x.product(0, at),
        x.product(at, x.dims().size()),
        Math.toIntExact(op.from() * unit),
        Math.toIntExact((op.to() - op.from()) * unit));
  }

  private KernelKind concat(Node node, Op.Concat op) {
    Rank x = types.rank(node, 0);
    if (node.inputs().size() != 2 || x.product(0, constantDim(node, op.dim(), x)) != 1) {
      throw unsupported(node, "the kernel joins two values along the outermost dimension of a row");
    }
    return new KernelKind.ConcatKernel(types.count(node), x.values(), types.rank(node, 1).values());
  }

  /** The index of a dimension of the first input among those of a row. */
  private int constantDim(Node node, int dim, Rank x) {
    int rank = types.type(node, 0).shape().rank();
    return (dim < 0 ? rank + dim : dim) - (rank - x.dims().size());
  }

  private int perRow(Node node) {
    return types.rank(node).perRow();
  }

  private int inner(Node node) {
    return types.rank(node).inner();
  }

  private static HeddleBug notLaunched(Node node) {
    return new HeddleBug("a kernel was asked for " + NodeTypes.name(node));
  }
}
