package dev.heddle.ir;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The reference semantics of every op: plain loops over all values, slow and obviously right. One
 * interpreter evaluates one step.
 *
 * <p>Weights are read dequantised; products and sums are in the chosen {@link Precision}. Appending
 * to a state writes the step's {@link SequenceState}s in place, so that a node that appends is
 * evaluated once.
 */
public final class Interpreter {
  private final Precision precision;
  private final WeightSource weights;
  private final StepInput step;

  public Interpreter(Precision precision, WeightSource weights, StepInput step) {
    this.precision = precision;
    this.weights = weights;
    this.step = step;
  }

  /** The outputs of a graph by name, in the graph's order. */
  public static Map<String, Tensor> run(
      Graph graph, StepInput step, WeightSource weights, Precision precision) {
    Map<Value, Integer> lastReader = new HashMap<>();
    graph.nodes().forEach(node -> node.inputs().forEach(v -> lastReader.put(v, node.id())));
    graph.outputs().forEach(o -> lastReader.remove(o.value()));
    Interpreter interpreter = new Interpreter(precision, weights, step);
    Map<Value, Tensor> values = new HashMap<>();
    for (Node node : graph.nodes()) {
      interpreter.evaluateInto(node, values);
      // a whole model's dequantised weights need not be held at once
      node.inputs().stream()
          .filter(v -> lastReader.getOrDefault(v, -1) == node.id())
          .forEach(values::remove);
    }
    Map<String, Tensor> outputs = new LinkedHashMap<>();
    graph.outputs().forEach(o -> outputs.put(o.name(), values.get(o.value())));
    return outputs;
  }

  /** Every value of a graph. */
  public Map<Value, Tensor> values(Graph graph) {
    Map<Value, Tensor> values = new HashMap<>();
    graph.nodes().forEach(node -> evaluateInto(node, values));
    return values;
  }

  private void evaluateInto(Node node, Map<Value, Tensor> values) {
    List<Tensor> results = evaluate(node, node.inputs().stream().map(values::get).toList());
    for (int i = 0; i < results.size(); i++) {
      values.put(new Value(node.id(), i), results.get(i));
    }
  }

  /** The results of one node. */
  public List<Tensor> evaluate(Node node, List<Tensor> inputs) {
    return evaluate(node.op(), node.types(), inputs);
  }

  /**
   * The results of one op.
   *
   * @param op the op
   * @param types types of its results, with symbols
   * @param inputs its inputs, optional ones included; shapes are taken as right
   * @throws IllegalArgumentException if a token id, row, expert or position is out of range
   */
  public List<Tensor> evaluate(Op op, List<TensorType> types, List<Tensor> inputs) {
    Precision p = precision;
    Inputs in = new Inputs(inputs);
    return switch (op) {
      case Op.Router o -> Routing.router(p, o, in.reals(0), in.optional(1, o.bias()));
      case Op.Input o -> List.of(input(o.kind()));
      case Op.Weight o -> List.of(weight(o, types.get(0)));
      case Op.State o -> List.of(new Tensor.Cache(o.name(), types.get(0)));
      case Op.Constant o -> List.of(new Tensor.Reals(new double[] {p.round(o.value())}, 1));
      case Op.Embed o -> List.of(Products.embed(p, p.round(o.scale()), in.reals(0), in.ints(1)));
      case Op.GetRows o -> List.of(LayoutOps.getRows(in.reals(0), in.ints(1)));
      case Op.TakeRows o -> List.of(LayoutOps.takeRows(in.reals(0), in.ints(1)));
      case Op.Matmul o -> {
        Tensor.Reals bias = in.optional(2, o.bias());
        yield List.of(
            Products.matmul(
                p, in.reals(0), in.reals(1), bias, in.optional(o.bias() ? 3 : 2, o.scale())));
      }
      case Op.MatmulId o -> {
        Tensor.Reals bias = in.optional(3, o.bias());
        Tensor.Reals scale = in.optional(o.bias() ? 4 : 3, o.scale());
        yield List.of(Products.matmulId(p, in.reals(0), in.reals(1), in.ints(2), bias, scale));
      }
      case Op.MatmulGrouped o -> List.of(Products.matmulGrouped(p, in.reals(0), in.reals(1)));
      case Op.Add o -> List.of(Elementwise.zip(p, in.reals(0), in.reals(1), (x, y) -> x + y));
      case Op.Sub o -> List.of(Elementwise.zip(p, in.reals(0), in.reals(1), (x, y) -> x - y));
      case Op.Mul o -> List.of(Elementwise.zip(p, in.reals(0), in.reals(1), (x, y) -> x * y));
      case Op.Div o -> List.of(Elementwise.zip(p, in.reals(0), in.reals(1), (x, y) -> x / y));
      case Op.Glu o -> List.of(glu(o.act(), in.reals(0), in.reals(1)));
      case Op.Scale o -> {
        double c = p.round(o.c());
        yield List.of(Elementwise.map(p, in.reals(0), x -> c * x));
      }
      case Op.Clamp o ->
          List.of(Elementwise.map(p, in.reals(0), x -> Elementwise.clamp(x, o.min(), o.max())));
      case Op.Neg o -> List.of(Elementwise.map(p, in.reals(0), x -> -x));
      case Op.Abs o -> List.of(Elementwise.map(p, in.reals(0), Math::abs));
      case Op.Exp o -> List.of(Elementwise.map(p, in.reals(0), Math::exp));
      case Op.Sqrt o -> List.of(Elementwise.map(p, in.reals(0), Math::sqrt));
      case Op.Tanh o -> List.of(Elementwise.map(p, in.reals(0), Math::tanh));
      case Op.Relu o -> List.of(Elementwise.map(p, in.reals(0), Elementwise::relu));
      case Op.Sigmoid o -> List.of(Elementwise.map(p, in.reals(0), Elementwise::sigmoid));
      case Op.Silu o -> List.of(Elementwise.map(p, in.reals(0), Elementwise::silu));
      case Op.GeluTanh o -> List.of(Elementwise.map(p, in.reals(0), Elementwise::geluTanh));
      case Op.GeluErf o -> List.of(Elementwise.map(p, in.reals(0), Elementwise::geluErf));
      case Op.Softplus o -> List.of(Elementwise.map(p, in.reals(0), Elementwise::softplus));
      case Op.Softcap o -> {
        double c = p.round(o.c());
        yield List.of(Elementwise.map(p, in.reals(0), x -> c * Math.tanh(x / c)));
      }
      case Op.RmsNorm o ->
          List.of(RowOps.rmsNorm(p, o.eps(), in.reals(0), in.optional(1, o.weight())));
      case Op.L2Norm o -> List.of(RowOps.l2Norm(p, o.eps(), in.reals(0)));
      case Op.Rope o ->
          List.of(AttentionOps.rope(p, o, in.reals(0), in.ints(1), in.optional(2, o.factors())));
      case Op.KvAppend o ->
          List.of(AttentionOps.append(step, in.cache(0), in.reals(1), in.ints(2)));
      case Op.Attention o ->
          List.of(
              AttentionOps.attention(
                  p, o.scale(), step, in.reals(0), in.cache(1), in.cache(2), in.ints(3)));
      case Op.Combine o -> {
        Tensor.Reals shared = in.optional(2, o.shared());
        Tensor.Reals gate = in.optional(3, o.gate());
        Tensor.Reals residual = in.optional(inputs.size() - 1, o.residual());
        yield List.of(Routing.combine(p, in.reals(0), in.reals(1), shared, gate, residual));
      }
      case Op.Sum o -> List.of(RowOps.reduce(in.reals(0), row -> RowOps.sum(p, row)));
      case Op.Mean o ->
          List.of(RowOps.reduce(in.reals(0), row -> p.round(RowOps.sum(p, row) / row.length)));
      case Op.Max o -> List.of(RowOps.reduce(in.reals(0), RowOps::max));
      case Op.Softmax o -> List.of(RowOps.softmax(p, in.reals(0)));
      case Op.TopK o -> List.of(RowOps.topK(in.reals(0), o.k()));
      case Op.Argmax o -> List.of(RowOps.argmax(in.reals(0)));
      case Op.Capture o -> List.of(inputs.get(0));
      case Op.Reshape o -> List.of(reshape(inputs.get(0), types.get(0)));
      case Op.Slice o -> {
        int dim = outermostFirst(o.dim(), types.get(0));
        yield List.of(
            LayoutOps.slice(in.reals(0), dim, Math.toIntExact(o.from()), Math.toIntExact(o.to())));
      }
      case Op.Concat o ->
          List.of(LayoutOps.concat(in.allReals(), outermostFirst(o.dim(), types.get(0))));
      case Op.Quantise o -> List.of(RowOps.quantise(p, in.reals(0)));
      case Op.Dequantise o -> List.of(in.reals(0));
    };
  }

  private Tensor input(Op.InputKind kind) {
    int[] values =
        switch (kind) {
          case IDS -> step.ids();
          case POS -> step.positions();
          case SEQ -> step.slots();
          case OUT_ROWS -> step.outRows();
        };
    return new Tensor.Ints(values.clone(), values.length);
  }

  private Tensor weight(Op.Weight op, TensorType type) {
    float[] floats = weights.values(op, type);
    double[] values = new double[floats.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = floats[i];
    }
    return new Tensor.Reals(values, concrete(type));
  }

  private Tensor.Reals glu(Op.Act act, Tensor.Reals gate, Tensor.Reals up) {
    return Elementwise.zip(
        precision, gate, up, (g, u) -> precision.round(Elementwise.act(act, g)) * u);
  }

  private Tensor reshape(Tensor x, TensorType type) {
    return switch (x) {
      case Tensor.Reals r -> new Tensor.Reals(r.values(), concrete(type));
      case Tensor.Ints i -> new Tensor.Ints(i.values(), concrete(type));
      case Tensor.Cache c -> new Tensor.Cache(c.name(), type);
    };
  }

  /** A type's dimensions in this step, outermost first. */
  private int[] concrete(TensorType type) {
    return TensorChecks.dims(type).stream().mapToInt(this::concrete).toArray();
  }

  private int concrete(Dim dim) {
    return switch (dim) {
      case Dim.Const c -> Math.toIntExact(c.value());
      case Dim.Sym s -> step.valueOf(s);
    };
  }

  private static int outermostFirst(int dim, TensorType type) {
    int rank = type.shape().rank();
    int index = dim < 0 ? rank + dim : dim;
    return type.layout() == Layout.ROWS ? index : rank - 1 - index;
  }

  /** Inputs by kind; another kind is a graph that the verifier refuses. */
  private record Inputs(List<Tensor> all) {
    Tensor.Reals reals(int i) {
      return (Tensor.Reals) all.get(i);
    }

    Tensor.Ints ints(int i) {
      return (Tensor.Ints) all.get(i);
    }

    Tensor.Cache cache(int i) {
      return (Tensor.Cache) all.get(i);
    }

    Tensor.Reals optional(int i, boolean present) {
      return present ? reals(i) : null;
    }

    List<Tensor.Reals> allReals() {
      List<Tensor.Reals> reals = new ArrayList<>();
      all.forEach(x -> reals.add((Tensor.Reals) x));
      return reals;
    }
  }
}
