package dev.heddle.passes.schedule;

import dev.heddle.ir.DType;
import dev.heddle.ir.Graph;
import dev.heddle.ir.GraphException;
import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.Value;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.KernelKind.Binary;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.PlanKey.Rows;
import dev.heddle.ir.plan.RopeTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes launches of a graph's nodes. Views (reshape, capture, a row range of a weight) have no launch: their readers read the value
 * beneath. Every other node is one launch of one kernel kind.
 */
final class Lowering {
  private final Rows rows;
  private final Numbering numbering;
  private final Map<Integer, Node> byId;
  private final Map<Value, Place> places = new HashMap<>();
  private final List<Schedule.Held> values = new ArrayList<>();
  private final List<Integer> madeBy = new ArrayList<>();
  private final List<Plan.Launch> launches = new ArrayList<>();
  private final List<List<Integer>> computed = new ArrayList<>();

  private Lowering(Graph graph, Rows rows, Numbering numbering) {
    this.rows = rows;
    this.numbering = numbering;
    this.byId = graph.byId();
  }

  /**
   * Lowers a graph for one class of steps.
   *
   * @throws GraphException if a node has a form that no kernel kind computes
   */
  static Schedule of(Graph graph, Rows rows, Numbering numbering) {
    Lowering lowering = new Lowering(graph, rows, numbering);
    for (Node node : Order.of(graph)) {
      lowering.lower(node);
    }
    List<Plan.Launch> launches = new ArrayList<>();
    for (int i = 0; i < lowering.launches.size(); i++) {
      Plan.Launch launch = lowering.launches.get(i);
      launches.add(new Plan.Launch(launch.kernel(), launch.args(), lowering.computed.get(i), launch.layer()));
    }
    return new Schedule(lowering.values, launches, lowering.outputs(graph));
  }

  private List<Plan.Output> outputs(Graph graph) {
    List<Plan.Output> outputs = new ArrayList<>();
    for (Graph.Output output : graph.outputs()) {
      switch (places.get(output.value())) {
        case Place.Held held -> outputs.add(new Plan.Output(output.name(), held.value()));
        case Place.State s -> {} // it stays in its pool
        case Place place ->
            throw new GraphException("output '" + output.name() + "' is no computed value: " + byId.get(output.value().node()).op().text());
      }
    }
    return outputs;
  }

  private void lower(Node node) {
    switch (node.op()) {
      case Op.Input o -> place(node, new Place.Header(o.kind()));
      case Op.Weight o -> place(node, new Place.Weight(o.tensor(), o.rowFrom(), o.rowFrom() + rows(node.type())));
      case Op.State o -> place(node, new Place.State(o.name()));
      case Op.Constant o -> place(node, new Place.Number(o.value()));
      case Op.Reshape o -> view(node);
      case Op.Capture o -> view(node);
      case Op.Slice o -> slice(node, o);
      case Op.Concat o -> concat(node, o);
      case Op.Embed o -> {
        header(node, 1, Op.InputKind.IDS);
        TensorType w = type(node, 0);
        launch(node, new KernelKind.EmbedKernel(w.dtype(), dim(w, 0), w.shape().dim(1).value(), o.scale()), 0);
      }
      case Op.GetRows o -> getRows(node);
      case Op.TakeRows o -> {
        header(node, 1, Op.InputKind.OUT_ROWS);
        launch(node, new KernelKind.TakeRowsKernel(rank(node, 0).values()), 0);
      }
      case Op.Matmul o -> matmul(node, o);
      case Op.MatmulId o -> matmulId(node, o);
      case Op.MatmulGrouped o -> throw unsupported(node, "no kernel kind multiplies by groups");
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
      case Op.Glu o -> launch(node, new KernelKind.GluKernel(count(node), rank(node).perRow(), rank(node).inner(), o.act()), 0, 1);
      case Op.RmsNorm o -> rmsNorm(node, o);
      case Op.L2Norm o -> launch(node, new KernelKind.L2NormKernel(count(node), rank(node).perRow(), rank(node).inner(), o.eps()), 0);
      case Op.Rope o -> rope(node, o);
      case Op.KvAppend o -> kvAppend(node);
      case Op.Attention o -> attention(node, o);
      case Op.Router o -> throw new HeddleBug("canonicalise left " + name(node) + " whole");
      case Op.Combine o -> combine(node, o);
      case Op.Sum o -> reduce(node, KernelKind.Reduce.SUM);
      case Op.Max o -> reduce(node, KernelKind.Reduce.MAX);
      case Op.Mean o -> reduce(node, KernelKind.Reduce.MEAN);
      case Op.Softmax o -> launch(node, new KernelKind.SoftmaxKernel(count(node), rank(node).perRow(), rank(node).inner()), 0);
      case Op.TopK o -> {
        tokensOnly(node);
        single(node, rank(node, 0));
        launch(node, new KernelKind.TopKKernel(rank(node, 0).inner(), o.k()), 0);
      }
      case Op.Argmax o -> argmax(node);
      case Op.Quantise o -> launch(node, new KernelKind.QuantiseKernel(count(node), rank(node).perRow(), rank(node).inner()), 0);
      case Op.Dequantise o -> launch(node, new KernelKind.DequantiseKernel(count(node), rank(node).perRow(), rank(node).inner()), 0);
    }
  }

  private void slice(Node node, Op.Slice op) {
    TensorType from = type(node, 0);
    int dim = op.dim() < 0 ? from.shape().rank() + op.dim() : op.dim();
    if (places.get(node.input(0)) instanceof Place.Weight w) {
      boolean isRowRange = from.shape().rank() == 1 || dim == 1;
      if (!isRowRange || byId.get(node.input(0).node()).op() instanceof Op.Reshape) {
        throw unsupported(node, "only rows of a weight can be taken");
      }
      place(node, new Place.Weight(w.tensor(), w.rowFrom() + op.from(), w.rowFrom() + op.to()));
      return;
    }
    Rank rank = rank(node, 0);
    int at = dim - (from.shape().rank() - rank.dims().size());
    int unit = rank.product(at + 1, rank.dims().size());
    launch(
        node,
        new KernelKind.SliceKernel(
            count(node),
            rank.product(0, at),
            rank.product(at, rank.dims().size()),
            Math.toIntExact(op.from() * unit),
            Math.toIntExact((op.to() - op.from()) * unit)),
        0);
  }

  private void concat(Node node, Op.Concat op) {
    Rank rank = rank(node);
    int dim = op.dim() < 0 ? type(node, 0).shape().rank() + op.dim() : op.dim();
    int at = dim - (type(node, 0).shape().rank() - rank.dims().size());
    if (node.inputs().size() != 2 || rank.product(0, at) != 1) {
      throw unsupported(node, "the kernel joins two values along the outermost dimension of a row");
    }
    launch(node, new KernelKind.ConcatKernel(count(node), rank(node, 0).values(), rank(node, 1).values()), 0, 1);
  }

  private void getRows(Node node) {
    tokensOnly(node);
    Rank x = rank(node, 0);
    Rank ids = rank(node, 1);
    boolean isGather = ids.dims().size() == 1 && (x.dims().size() == 1 || x.dims().size() == 2 && x.inner() == 1);
    if (!isGather) {
      throw unsupported(node, "the kernel gathers single values of a row");
    }
    launch(node, new KernelKind.GatherKernel(x.values(), ids.values()), 0, 1);
  }

  private void matmul(Node node, Op.Matmul op) {
    single(node, rank(node, 1));
    TensorType w = type(node, 0);
    launchAll(
        node, new KernelKind.MatmulKernel(rows, count(node), w.dtype(), type(node, 1).dtype(), dim(w, 0), dim(w, 1), op.bias(), op.scale()));
  }

  private void matmulId(Node node, Op.MatmulId op) {
    tokensOnly(node);
    if (byId.get(node.input(0).node()).op() instanceof Op.Weight part && part.rowTo() >= 0) {
      throw unsupported(node, "rows of the experts in " + part.tensor() + " do not lie together in memory");
    }
    TensorType w = type(node, 0);
    launchAll(
        node,
        new KernelKind.ExpertMatmulKernel(
            rows,
            w.dtype(),
            type(node, 1).dtype(),
            dim(w, 0),
            dim(w, 1),
            dim(w, 2),
            rank(node, 2).inner(),
            type(node, 1).shape().rank() == 3,
            op.bias(),
            op.scale()));
  }

  private void unary(Node node) {
    launch(node, Elementwise.unary(node.op(), count(node), rank(node).values()), 0);
  }

  private void binary(Node node, Binary function) {
    count(node);
    KernelKind kind =
        Elementwise.binary(function, rank(node, 0), rank(node, 1))
            .orElseThrow(() -> unsupported(node, "no kernel broadcasts " + type(node, 1) + " over " + type(node, 0)));
    launch(node, kind, 0, 1);
  }

  private void rmsNorm(Node node, Op.RmsNorm op) {
    launchAll(node, new KernelKind.RmsNormKernel(count(node), rank(node).perRow(), rank(node).inner(), op.eps(), op.weight()));
  }

  private void reduce(Node node, KernelKind.Reduce function) {
    Rank x = rank(node, 0);
    launch(node, new KernelKind.ReduceKernel(count(node), x.perRow(), x.inner(), function), 0);
  }

  private void rope(Node node, Op.Rope op) {
    tokensOnly(node);
    header(node, 1, Op.InputKind.POS);
    String factors = "";
    if (op.factors()) {
      if (!(places.get(node.input(2)) instanceof Place.Weight w)) {
        throw unsupported(node, "frequency factors must be a weight");
      }
      factors = w.tensor();
    }
    Rank x = rank(node, 0);
    RopeTable table = new RopeTable(op.dims(), op.base(), op.scaling(), factors);
    KernelKind kind = new KernelKind.RopeKernel(op.kind(), x.perRow(), x.inner(), op.dims());
    emit(node, kind, new ArrayList<>(List.of(arg(node, 0), new Plan.Arg.Table(numbering.of(table)))));
  }

  private void kvAppend(Node node) {
    header(node, 2, Op.InputKind.POS);
    TensorType state = type(node, 0);
    Rank x = rank(node, 1);
    if (x.dims().size() != 2) {
      throw unsupported(node, "the kernel appends rows [T, heads, d]");
    }
    KernelKind kind = new KernelKind.KvAppendKernel(state.dtype(), dim(state, 1), dim(state, 2));
    add(node, kind, List.of(arg(node, 0), arg(node, 1)));
    place(node, places.get(node.input(0)));
  }

  private void attention(Node node, Op.Attention op) {
    header(node, 3, Op.InputKind.POS);
    TensorType q = type(node, 0);
    TensorType k = type(node, 1);
    TensorType v = type(node, 2);
    KernelKind kind =
        new KernelKind.AttentionKernel(
            rows, k.dtype(), v.dtype(), dim(q, 1), dim(k, 1), dim(k, 2), dim(v, 2), op.scale());
    launch(node, kind, 0, 1, 2);
  }

  private void combine(Node node, Op.Combine op) {
    tokensOnly(node);
    Rank y = rank(node, 0);
    launchAll(
        node, new KernelKind.CombineKernel(Math.toIntExact(y.dims().get(0)), y.inner(), op.shared(), op.gate(), op.residual()));
  }

  private void argmax(Node node) {
    if (!count(node).equals(Count.OUT_ROWS)) {
      throw unsupported(node, "the kernel reads output rows");
    }
    single(node, rank(node, 0));
    launch(node, new KernelKind.ArgmaxKernel(rank(node, 0).inner()), 0);
  }

  private void launchAll(Node node, KernelKind kind) {
    List<Plan.Arg> inputs = new ArrayList<>();
    for (int i = 0; i < node.inputs().size(); i++) {
      inputs.add(arg(node, i));
    }
    emit(node, kind, inputs);
  }

  private void launch(Node node, KernelKind kind, int... inputs) {
    List<Plan.Arg> args = new ArrayList<>();
    for (int input : inputs) {
      args.add(arg(node, input));
    }
    emit(node, kind, args);
  }

  /** A launch that writes the node's results to new values; they stand before the inputs. */
  private void emit(Node node, KernelKind kind, List<Plan.Arg> inputs) {
    List<Plan.Arg> args = new ArrayList<>();
    for (int result = 0; result < node.types().size(); result++) {
      int id = values.size();
      values.add(new Schedule.Held(node.id(), result, node.types().get(result)));
      madeBy.add(launches.size());
      places.put(new Value(node.id(), result), new Place.Held(id));
      args.add(new Plan.Arg.Buf(id, 0));
    }
    args.addAll(inputs);
    add(node, kind, args);
  }

  private void add(Node node, KernelKind kind, List<Plan.Arg> args) {
    computed.add(new ArrayList<>(List.of(node.id())));
    launches.add(new Plan.Launch(numbering.of(kind), args, List.of(), node.layer()));
  }

  private void view(Node node) {
    Place place = places.get(node.input(0));
    place(node, place);
    if (place instanceof Place.Held held) {
      computed.get(madeBy.get(held.value())).add(node.id());
    }
  }

  private void place(Node node, Place place) {
    places.put(node.value(), place);
  }

  private Plan.Arg arg(Node node, int input) {
    return switch (places.get(node.input(input))) {
      case Place.Held held -> new Plan.Arg.Buf(held.value(), 0);
      case Place.State state -> new Plan.Arg.State(state.name());
      case Place.Weight w -> {
        boolean isMatrix = input == 0 && (node.op() instanceof Op.Matmul || node.op() instanceof Op.MatmulId || node.op() instanceof Op.Embed);
        if (!isMatrix && type(node, input).dtype() != DType.F32) {
          throw new HeddleBug("layout left " + w.tensor() + " as " + type(node, input).dtype().text() + " for " + name(node));
        }
        yield new Plan.Arg.Weight(w.tensor(), w.rowFrom(), w.rowTo());
      }
      case Place.Header h -> throw unsupported(node, "no kernel reads the step's " + h.kind() + " as input " + input);
      case Place.Number n -> throw unsupported(node, "no kernel reads the constant " + n.value() + " as input " + input);
    };
  }

  private void header(Node node, int input, Op.InputKind kind) {
    if (!places.get(node.input(input)).equals(new Place.Header(kind))) {
      throw unsupported(node, "the kernel takes input " + input + " from the step's " + kind);
    }
  }

  private void tokensOnly(Node node) {
    if (count(node) != Count.TOKENS) {
      throw unsupported(node, "the kernel works on all tokens of a step; take rows after it");
    }
  }

  private void single(Node node, Rank rank) {
    if (rank.perRow() != 1) {
      throw unsupported(node, "the kernel takes one row for each token, not " + rank.perRow());
    }
  }

  private Count count(Node node) {
    return rank(node).count().orElseThrow(() -> unsupported(node, "it has neither tokens nor output rows"));
  }

  private Rank rank(Node node) {
    return Rank.of(node.type()).orElseThrow(() -> unsupported(node, "its shape " + node.type().shape() + " has no rows"));
  }

  private Rank rank(Node node, int input) {
    return Rank.of(type(node, input)).orElseThrow(() -> unsupported(node, "input " + input + " is " + type(node, input)));
  }

  private TensorType type(Node node, int input) {
    Value value = node.input(input);
    return byId.get(value.node()).types().get(value.result());
  }

  /** Rows of a weight are counted along its second dimension; of a tensor with one dimension its values are the rows. */
  private static long rows(TensorType weight) {
    return weight.shape().dim(Math.min(1, weight.shape().rank() - 1)).value();
  }

  private static int dim(TensorType type, int i) {
    return Math.toIntExact(type.shape().dim(i).value());
  }

  private static String name(Node node) {
    return "%" + node.id() + " = " + node.op().text() + " : " + node.type() + " (" + node.source() + ")";
  }

  private GraphException unsupported(Node node, String why) {
    return new GraphException(name(node) + " has no kernel: " + why);
  }
}
