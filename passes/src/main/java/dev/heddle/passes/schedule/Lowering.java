package dev.heddle.passes.schedule;

import static dev.heddle.passes.schedule.NodeTypes.unsupported;

import dev.heddle.ir.DType;
import dev.heddle.ir.Graph;
import dev.heddle.ir.GraphException;
import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.Value;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.PlanKey.Rows;
import dev.heddle.ir.plan.RopeTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes launches of a graph's nodes. Views (reshape, capture, a row range of a weight) have no
 * launch: their readers read the value beneath. Every other node is one launch of the kernel that
 * {@link KernelChoice} gives.
 */
final class Lowering {
  private final NodeTypes types;
  private final KernelChoice kernels;
  private final Numbering numbering;
  private final Map<Value, Place> places = new HashMap<>();
  private final List<Schedule.Held> values = new ArrayList<>();
  private final List<Integer> madeBy = new ArrayList<>();
  private final List<Plan.Launch> launches = new ArrayList<>();
  private final List<List<Integer>> computed = new ArrayList<>();

  private Lowering(Graph graph, Rows rows, Numbering numbering) {
    this.types = new NodeTypes(graph);
    this.kernels = new KernelChoice(types, rows);
    this.numbering = numbering;
  }

  /**
   * Lowers a graph for one class of steps.
   *
   * @throws GraphException if a node has a form that no kernel kind computes
   */
  static Schedule of(Graph graph, Rows rows, Numbering numbering) {
    Lowering lowering = new Lowering(graph, rows, numbering);
    Order.of(graph).forEach(lowering::lower);
    List<Plan.Launch> launches = new ArrayList<>();
    for (int i = 0; i < lowering.launches.size(); i++) {
      Plan.Launch launch = lowering.launches.get(i);
      launches.add(
          new Plan.Launch(
              launch.kernel(), launch.args(), lowering.computed.get(i), launch.layer()));
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
            throw new GraphException(
                "output '"
                    + output.name()
                    + "' is no computed value but "
                    + types.op(output.value()).text());
      }
    }
    return outputs;
  }

  private void lower(Node node) {
    switch (node.op()) {
      case Op.Input o -> place(node, new Place.Header(o.kind()));
      case Op.Weight o ->
          place(node, new Place.Weight(o.tensor(), o.rowFrom(), o.rowFrom() + rows(node.type())));
      case Op.State o -> place(node, new Place.State(o.name()));
      case Op.Constant o -> place(node, new Place.Number(o.value()));
      case Op.Reshape o -> view(node);
      case Op.Capture o -> view(node);
      case Op.Slice o when places.get(node.input(0)) instanceof Place.Weight w ->
          rowsOfWeight(node, o, w);
      case Op.KvAppend o -> {
        launch(node, inputs(node));
        place(node, places.get(node.input(0)));
      }
      case Op.Rope o -> compute(node, List.of(arg(node, 0), table(node, o)));
      default -> compute(node, inputs(node));
    }
  }

  private void rowsOfWeight(Node node, Op.Slice op, Place.Weight weight) {
    TensorType from = types.type(node, 0);
    int dim = op.dim() < 0 ? from.shape().rank() + op.dim() : op.dim();
    boolean isReshaped = types.op(node.input(0)) instanceof Op.Reshape;
    if (isReshaped || dim != Math.min(1, from.shape().rank() - 1)) {
      throw unsupported(node, "only rows of a weight can be taken");
    }
    place(
        node,
        new Place.Weight(
            weight.tensor(), weight.rowFrom() + op.from(), weight.rowFrom() + op.to()));
  }

  private Plan.Arg table(Node node, Op.Rope op) {
    header(node, 1, Op.InputKind.POS);
    String factors = "";
    if (op.factors()) {
      if (!(places.get(node.input(2)) instanceof Place.Weight w)) {
        throw unsupported(node, "frequency factors must be a weight");
      }
      factors = w.tensor();
    }
    return new Plan.Arg.Table(
        numbering.of(new RopeTable(op.dims(), op.base(), op.scaling(), factors)));
  }

  /** Arguments for all inputs but those that kernels take from the step header. */
  private List<Plan.Arg> inputs(Node node) {
    List<Plan.Arg> args = new ArrayList<>();
    for (int i = 0; i < node.inputs().size(); i++) {
      Op.InputKind fromHeader = fromHeader(node.op(), i);
      if (fromHeader != null) {
        header(node, i, fromHeader);
      } else {
        args.add(arg(node, i));
      }
    }
    return args;
  }

  /**
   * What the kernel of an op reads from the step header as its input {@code i}; null if that input
   * is an argument.
   */
  private static Op.InputKind fromHeader(Op op, int i) {
    return switch (op) {
      case Op.Embed o when i == 1 -> Op.InputKind.IDS;
      case Op.TakeRows o when i == 1 -> Op.InputKind.OUT_ROWS;
      case Op.KvAppend o when i == 2 -> Op.InputKind.POS;
      case Op.Attention o when i == 3 -> Op.InputKind.POS;
      default -> null;
    };
  }

  private void header(Node node, int input, Op.InputKind kind) {
    if (!places.get(node.input(input)).equals(new Place.Header(kind))) {
      throw unsupported(node, "the kernel takes input " + input + " from the step's " + kind);
    }
  }

  private Plan.Arg arg(Node node, int input) {
    return switch (places.get(node.input(input))) {
      case Place.Held held -> new Plan.Arg.Buf(held.value(), 0);
      case Place.State state -> new Plan.Arg.State(state.name());
      case Place.Weight w -> {
        checkLoaded(node, input, w);
        yield new Plan.Arg.Weight(w.tensor(), w.rowFrom(), w.rowTo());
      }
      case Place.Header h ->
          throw unsupported(node, "no kernel reads the step's " + h.kind() + " as input " + input);
      case Place.Number n ->
          throw unsupported(
              node, "no kernel reads the constant " + n.value() + " as input " + input);
    };
  }

  private void checkLoaded(Node node, int input, Place.Weight weight) {
    boolean isMatrix =
        input == 0
            && (node.op() instanceof Op.Matmul
                || node.op() instanceof Op.MatmulId
                || node.op() instanceof Op.Embed);
    DType loaded = types.type(node, input).dtype();
    if (!isMatrix && loaded != DType.F32) {
      throw new HeddleBug(
          "layout left "
              + weight.tensor()
              + " as "
              + loaded.text()
              + " for "
              + NodeTypes.name(node));
    }
  }

  /** A launch that writes the node's results to new values; they stand before the inputs. */
  private void compute(Node node, List<Plan.Arg> inputs) {
    List<Plan.Arg> args = new ArrayList<>();
    for (int result = 0; result < node.types().size(); result++) {
      int id = values.size();
      values.add(new Schedule.Held(node.id(), result, node.types().get(result)));
      madeBy.add(launches.size());
      places.put(new Value(node.id(), result), new Place.Held(id));
      args.add(new Plan.Arg.Buf(id, 0));
    }
    args.addAll(inputs);
    launch(node, args);
  }

  private void launch(Node node, List<Plan.Arg> args) {
    computed.add(new ArrayList<>(List.of(node.id())));
    launches.add(new Plan.Launch(numbering.of(kernels.of(node)), args, List.of(), node.layer()));
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

  /**
   * Rows of a weight are counted along its second dimension; of a tensor with one dimension its
   * values are the rows.
   */
  private static long rows(TensorType weight) {
    return weight.shape().dim(Math.min(1, weight.shape().rank() - 1)).value();
  }
}
