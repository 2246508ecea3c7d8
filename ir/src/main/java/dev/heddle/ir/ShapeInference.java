package dev.heddle.ir;

import static dev.heddle.ir.TensorChecks.activations;
import static dev.heddle.ir.TensorChecks.constant;
import static dev.heddle.ir.TensorChecks.dims;
import static dev.heddle.ir.TensorChecks.fail;
import static dev.heddle.ir.TensorChecks.ids;
import static dev.heddle.ir.TensorChecks.innermost;
import static dev.heddle.ir.TensorChecks.rank;
import static dev.heddle.ir.TensorChecks.real;
import static dev.heddle.ir.TensorChecks.same;
import static dev.heddle.ir.TensorChecks.sameDim;
import static dev.heddle.ir.TensorChecks.tokens;
import static dev.heddle.ir.TensorChecks.weight;

import java.util.ArrayList;
import java.util.List;

/**
 * The type rules of the op vocabulary: result types from input types. A mismatch is a {@link
 * GraphException} whose sentence names the op and both shapes.
 *
 * <p>Real-valued inputs are f32 activations or weights of any real type, which are read
 * dequantised; results are f32 rows.
 */
public final class ShapeInference {
  private ShapeInference() {}

  /**
   * Types of an op's results. The types of weights and states are facts of a file or a spec, not
   * inferred: asking is a fault.
   *
   * @param op the op
   * @param in types of its inputs, optional ones included
   * @throws GraphException if number, rank, dimensions or element types of inputs do not fit
   */
  public static List<TensorType> types(Op op, List<TensorType> in) {
    checkArity(op, in);
    try {
      return infer(op, in);
    } catch (ArithmeticException e) {
      throw new GraphException("'" + op.text() + "' has more values than 64 bits count: " + in);
    }
  }

  private static List<TensorType> infer(Op op, List<TensorType> in) {
    return switch (op) {
      case Op.Input input ->
          List.of(TensorType.i32(input.kind() == Op.InputKind.OUT_ROWS ? Dim.R : Dim.T));
      case Op.Weight w ->
          throw new HeddleBug("the type of weight " + w.tensor() + " is given, not inferred");
      case Op.State s ->
          throw new HeddleBug("the type of state " + s.name() + " is given, not inferred");
      case Op.Constant c -> List.of(TensorType.f32(Dim.of(1)));
      case Op.Embed e -> List.of(embed(e, in.get(0), in.get(1)));
      case Op.GetRows g -> List.of(getRows(g, in.get(0), in.get(1)));
      case Op.TakeRows t -> List.of(takeRows(t, in.get(0), in.get(1)));
      case Op.Matmul m -> List.of(matmul(m, in));
      case Op.MatmulId m -> List.of(matmulId(m, in));
      case Op.MatmulGrouped m -> List.of(matmulGrouped(m, in.get(0), in.get(1)));
      case Op.Add o -> List.of(binary("+", in.get(0), in.get(1)));
      case Op.Sub o -> List.of(binary("-", in.get(0), in.get(1)));
      case Op.Mul o -> List.of(binary("*", in.get(0), in.get(1)));
      case Op.Div o -> List.of(binary("/", in.get(0), in.get(1)));
      case Op.Scale o -> elementwise(o, in);
      case Op.Clamp o -> elementwise(o, in);
      case Op.Neg o -> elementwise(o, in);
      case Op.Abs o -> elementwise(o, in);
      case Op.Exp o -> elementwise(o, in);
      case Op.Sqrt o -> elementwise(o, in);
      case Op.Tanh o -> elementwise(o, in);
      case Op.Relu o -> elementwise(o, in);
      case Op.Sigmoid o -> elementwise(o, in);
      case Op.Silu o -> elementwise(o, in);
      case Op.GeluTanh o -> elementwise(o, in);
      case Op.GeluErf o -> elementwise(o, in);
      case Op.Softplus o -> elementwise(o, in);
      case Op.Softcap o -> elementwise(o, in);
      case Op.Glu o -> List.of(glu(o, in.get(0), in.get(1)));
      case Op.RmsNorm o -> List.of(rmsNorm(o, in));
      case Op.L2Norm o -> rowwise(o, in);
      case Op.Rope o -> List.of(rope(o, in));
      case Op.KvAppend o -> List.of(kvAppend(o, in.get(0), in.get(1), in.get(2)));
      case Op.Attention o -> List.of(attention(o, in.get(0), in.get(1), in.get(2), in.get(3)));
      case Op.Router o -> router(o, in);
      case Op.Combine o -> List.of(combine(o, in));
      case Op.Sum o -> List.of(reduce(o, in.get(0)));
      case Op.Max o -> List.of(reduce(o, in.get(0)));
      case Op.Mean o -> List.of(reduce(o, in.get(0)));
      case Op.Softmax o -> rowwise(o, in);
      case Op.TopK o -> List.of(topK(o, in.get(0)));
      case Op.Argmax o -> List.of(argmax(o, in.get(0)));
      case Op.Capture o -> List.of(in.get(0));
      case Op.Reshape o -> List.of(reshape(o, in.get(0)));
      case Op.Slice o -> List.of(slice(o, in.get(0)));
      case Op.Concat o -> List.of(concat(o, in));
      case Op.Quantise o -> List.of(quantise(o, in.get(0)));
      case Op.Dequantise o -> List.of(dequantise(in.get(0)));
    };
  }

  private static void checkArity(Op op, List<TensorType> in) {
    int least = leastInputs(op);
    boolean fits = op instanceof Op.Concat ? in.size() >= least : in.size() == least;
    if (!fits) {
      String want =
          op instanceof Op.Concat ? "at least 1 input" : least == 1 ? "1 input" : least + " inputs";
      throw new GraphException("'" + op.text() + "' takes " + want + ", not " + in.size());
    }
  }

  private static int leastInputs(Op op) {
    return switch (op) {
      case Op.Input o -> 0;
      case Op.Weight o -> 0;
      case Op.State o -> 0;
      case Op.Constant o -> 0;
      case Op.Embed o -> 2;
      case Op.GetRows o -> 2;
      case Op.TakeRows o -> 2;
      case Op.Matmul o -> 2 + count(o.bias()) + count(o.scale());
      case Op.MatmulId o -> 3 + count(o.bias()) + count(o.scale());
      case Op.MatmulGrouped o -> 2;
      case Op.Add o -> 2;
      case Op.Sub o -> 2;
      case Op.Mul o -> 2;
      case Op.Div o -> 2;
      case Op.Scale o -> 1;
      case Op.Clamp o -> 1;
      case Op.Neg o -> 1;
      case Op.Abs o -> 1;
      case Op.Exp o -> 1;
      case Op.Sqrt o -> 1;
      case Op.Tanh o -> 1;
      case Op.Relu o -> 1;
      case Op.Sigmoid o -> 1;
      case Op.Silu o -> 1;
      case Op.GeluTanh o -> 1;
      case Op.GeluErf o -> 1;
      case Op.Softplus o -> 1;
      case Op.Softcap o -> 1;
      case Op.Glu o -> 2;
      case Op.RmsNorm o -> 1 + count(o.weight());
      case Op.L2Norm o -> 1;
      case Op.Rope o -> 2 + count(o.factors());
      case Op.KvAppend o -> 3;
      case Op.Attention o -> 4;
      case Op.Router o -> 1 + count(o.bias());
      case Op.Combine o -> 2 + count(o.shared()) + count(o.gate()) + count(o.residual());
      case Op.Sum o -> 1;
      case Op.Max o -> 1;
      case Op.Mean o -> 1;
      case Op.Softmax o -> 1;
      case Op.TopK o -> 1;
      case Op.Argmax o -> 1;
      case Op.Capture o -> 1;
      case Op.Reshape o -> 1;
      case Op.Slice o -> 1;
      case Op.Concat o -> 1;
      case Op.Quantise o -> 1;
      case Op.Dequantise o -> 1;
    };
  }

  private static int count(boolean present) {
    return present ? 1 : 0;
  }

  private static TensorType f32(List<Dim> dims) {
    return TensorType.f32(dims.toArray(Dim[]::new));
  }

  private static TensorType i32(List<Dim> dims) {
    return TensorType.i32(dims.toArray(Dim[]::new));
  }

  private static List<TensorType> elementwise(Op op, List<TensorType> in) {
    real(op, in.get(0));
    return List.of(f32(dims(in.get(0))));
  }

  private static List<TensorType> rowwise(Op op, List<TensorType> in) {
    innermost(op, in.get(0));
    return elementwise(op, in);
  }

  private static TensorType binary(String sign, TensorType x, TensorType y) {
    TensorChecks.real("'" + sign + "'", x);
    TensorChecks.real("'" + sign + "'", y);
    List<Dim> a = dims(x);
    List<Dim> b = dims(y);
    boolean fits = b.size() <= a.size();
    for (int i = 1; fits && i <= b.size(); i++) {
      Dim d = b.get(b.size() - i);
      fits = d.equals(a.get(a.size() - i)) || d.equals(Dim.of(1));
    }
    if (!fits) {
      throw new GraphException(
          "'" + sign + "' needs equal shapes: " + x.shape() + " and " + y.shape());
    }
    return f32(a);
  }

  private static TensorType embed(Op op, TensorType w, TensorType ids) {
    weight(op, w, 2, "{n, vocabulary}");
    ids(op, "ids", ids);
    rank(op, "ids", ids, 1);
    return TensorType.f32(ids.shape().dim(0), w.shape().dim(0));
  }

  private static TensorType getRows(Op op, TensorType x, TensorType idx) {
    real(op, x);
    ids(op, "idx", idx);
    List<Dim> a = dims(x);
    List<Dim> b = dims(idx);
    boolean single = a.size() == b.size();
    int lead = b.size() - 1;
    if (b.isEmpty()
        || !(single || a.size() == b.size() + 1)
        || !a.subList(0, lead).equals(b.subList(0, lead))) {
      throw fail(
          op,
          "needs x [.., m, n] or [.., m] and idx [.., k] with equal leading dimensions",
          x,
          idx);
    }
    List<Dim> out = new ArrayList<>(b);
    if (!single) {
      out.add(a.getLast());
    }
    return f32(out);
  }

  private static TensorType takeRows(Op op, TensorType x, TensorType rows) {
    activations(op, x);
    ids(op, "out_rows", rows);
    rank(op, "out_rows", rows, 1);
    if (!x.shape().dim(0).equals(Dim.T)) {
      throw new GraphException(
          "'take_rows' takes rows of the step's tokens [T, ..], not of " + x.shape());
    }
    return x.withShape(x.shape().with(0, rows.shape().dim(0)));
  }

  private static TensorType matmul(Op.Matmul op, List<TensorType> in) {
    TensorType w = in.get(0);
    TensorType x = in.get(1);
    weight(op, w, 2, "{n, m}");
    TensorChecks.product(op, x);
    if (x.shape().rank() < 2) {
      throw fail(op, "needs x of at least two dimensions [T, n]", w, x);
    }
    if (!x.shape().last().equals(w.shape().dim(0))) {
      throw fail(op, "needs as many columns in x as the weight has inputs", w, x);
    }
    Dim m = w.shape().dim(1);
    extras(op, op.bias(), op.scale(), in.subList(2, in.size()), List.of(m), List.of(Dim.of(1)));
    return TensorType.f32(x.shape().with(-1, m).dims().toArray(Dim[]::new));
  }

  private static TensorType matmulId(Op.MatmulId op, List<TensorType> in) {
    TensorType w = in.get(0);
    TensorType x = in.get(1);
    TensorType ids = in.get(2);
    weight(op, w, 3, "{n, m, experts}");
    TensorChecks.product(op, x);
    ids(op, "ids", ids);
    rank(op, "ids", ids, 2);
    List<Dim> xs = x.shape().dims();
    Dim n = w.shape().dim(0);
    List<Dim> perToken = List.of(ids.shape().dim(0), n);
    List<Dim> perExpert = List.of(ids.shape().dim(0), ids.shape().dim(1), n);
    if (!xs.equals(perToken) && !xs.equals(perExpert)) {
      throw fail(
          op,
          "needs x "
              + new Shape(perToken)
              + " or "
              + new Shape(perExpert)
              + " for ids "
              + ids.shape(),
          w,
          x);
    }
    Dim m = w.shape().dim(1);
    Dim experts = w.shape().dim(2);
    extras(
        op, op.bias(), op.scale(), in.subList(3, in.size()), List.of(experts, m), List.of(experts));
    return TensorType.f32(ids.shape().dim(0), ids.shape().dim(1), m);
  }

  private static void extras(
      Op op,
      boolean bias,
      boolean scale,
      List<TensorType> rest,
      List<Dim> biasDims,
      List<Dim> scaleDims) {
    if (bias) {
      same(op, "bias", rest.get(0), biasDims);
    }
    if (scale) {
      same(op, "scale", rest.get(count(bias)), scaleDims);
    }
  }

  private static TensorType matmulGrouped(Op op, TensorType w, TensorType x) {
    weight(op, w, 3, "{n, m, groups}");
    TensorChecks.product(op, x);
    rank(op, "x", x, 3);
    if (!x.shape().dim(1).equals(w.shape().dim(2)) || !x.shape().dim(2).equals(w.shape().dim(0))) {
      throw fail(op, "needs W {n, m, G} and x [T, G, n]", w, x);
    }
    return TensorType.f32(x.shape().dim(0), x.shape().dim(1), w.shape().dim(1));
  }

  private static TensorType glu(Op op, TensorType gate, TensorType up) {
    activations(op, gate);
    activations(op, up);
    if (!gate.shape().equals(up.shape())) {
      throw fail(op, "needs gate and up of equal shape", gate, up);
    }
    return f32(gate.shape().dims());
  }

  private static TensorType rmsNorm(Op.RmsNorm op, List<TensorType> in) {
    TensorType x = in.get(0);
    activations(op, x);
    innermost(op, x);
    if (op.weight()) {
      same(op, "weight", in.get(1), List.of(x.shape().last()));
    }
    return f32(x.shape().dims());
  }

  private static TensorType rope(Op.Rope op, List<TensorType> in) {
    TensorType x = in.get(0);
    TensorType pos = in.get(1);
    activations(op, x);
    rank(op, "x", x, 3);
    ids(op, "pos", pos);
    rank(op, "pos", pos, 1);
    sameDim(op, "tokens", x, 0, pos, 0);
    if (op.dims() < 2 || op.dims() % 2 != 0 || op.dims() > innermost(op, x)) {
      throw new GraphException(
          "'rope' rotates an even number of the row's values, not dims="
              + op.dims()
              + " of x "
              + x.shape());
    }
    if (!op.sections().isEmpty() && op.sections().size() != 4) {
      throw new GraphException("'rope' takes no sections or four, not " + op.sections());
    }
    if (op.factors()) {
      same(op, "factors", in.get(2), List.of(Dim.of(op.dims() / 2)));
    }
    return f32(x.shape().dims());
  }

  private static TensorType kvAppend(Op op, TensorType state, TensorType row, TensorType pos) {
    TensorChecks.state(op, state);
    activations(op, row);
    rank(op, "row", row, state.shape().rank());
    tokens(op, row, pos);
    List<Dim> s = state.shape().dims();
    List<Dim> r = row.shape().dims();
    if (!s.subList(1, s.size()).equals(r.subList(1, r.size()))) {
      throw fail(op, "needs rows of the state's shape", state, row);
    }
    return state;
  }

  private static TensorType attention(
      Op op, TensorType q, TensorType k, TensorType v, TensorType pos) {
    activations(op, q);
    rank(op, "q", q, 3);
    TensorChecks.state(op, k);
    TensorChecks.state(op, v);
    rank(op, "k", k, 3);
    rank(op, "v", v, 3);
    tokens(op, q, pos);
    if (!q.shape().dim(2).equals(k.shape().dim(2))) {
      throw fail(op, "needs q and k of equal head size", q, k);
    }
    if (!k.shape().dim(1).equals(v.shape().dim(1))) {
      throw fail(op, "needs as many k heads as v heads", k, v);
    }
    if (constant(op, q, 1) % constant(op, k, 1) != 0) {
      throw fail(op, "needs q heads to be a multiple of k heads", q, k);
    }
    return TensorType.f32(q.shape().dim(0), q.shape().dim(1), v.shape().dim(2));
  }

  private static List<TensorType> router(Op.Router op, List<TensorType> in) {
    TensorType logits = in.get(0);
    TensorType ids = topK(op, logits, op.k());
    if (op.bias()) {
      same(op, "bias", in.get(1), List.of(logits.shape().last()));
    }
    return List.of(ids, ids.withDType(DType.F32));
  }

  private static TensorType combine(Op.Combine op, List<TensorType> in) {
    TensorType y = in.get(0);
    TensorType w = in.get(1);
    activations(op, y);
    activations(op, w);
    rank(op, "y", y, 3);
    if (!w.shape().dims().equals(y.shape().dims().subList(0, 2))) {
      throw fail(op, "needs y [T, K, n] and w [T, K]", y, w);
    }
    if (op.gate() && !op.shared()) {
      throw new GraphException("'combine' has a gate but no shared value to multiply it with");
    }
    List<Dim> row = List.of(y.shape().dim(0), y.shape().dim(2));
    int next = 2;
    if (op.shared()) {
      same(op, "shared", in.get(next++), row);
    }
    if (op.gate()) {
      same(op, "gate", in.get(next++), List.of(row.get(0), Dim.of(1)));
    }
    if (op.residual()) {
      same(op, "residual", in.get(next), row);
    }
    return f32(row);
  }

  private static TensorType reduce(Op op, TensorType x) {
    activations(op, x);
    innermost(op, x);
    return x.withShape(x.shape().with(-1, Dim.of(1)));
  }

  private static TensorType topK(Op.TopK op, TensorType x) {
    return topK(op, x, op.k());
  }

  private static TensorType topK(Op op, TensorType x, int k) {
    activations(op, x);
    long n = innermost(op, x);
    if (k < 1 || k > n) {
      throw new GraphException(
          "'" + op.text() + "' chooses 1 to " + n + " of x " + x.shape() + ", not k=" + k);
    }
    return i32(x.shape().with(-1, Dim.of(k)).dims());
  }

  private static TensorType argmax(Op op, TensorType x) {
    activations(op, x);
    innermost(op, x);
    if (x.shape().rank() < 2) {
      throw new GraphException("'argmax' needs rows [R, V], not " + x.shape());
    }
    List<Dim> dims = x.shape().dims();
    return i32(dims.subList(0, dims.size() - 1));
  }

  private static TensorType reshape(Op.Reshape op, TensorType x) {
    Shape to = op.shape();
    TensorChecks.notState(op, x);
    if (!TensorChecks.sameValues(x.shape(), to)) {
      throw new GraphException(
          "'reshape' keeps the number of values and the place of symbols: "
              + x.shape()
              + " and "
              + to);
    }
    Dim inner = x.layout() == Layout.ROWS ? to.last() : to.dim(0);
    if (!TensorChecks.isWholeBlocks(inner, x.dtype())) {
      throw new GraphException(
          "'reshape' to " + to + " would cut blocks of " + x.dtype().text() + " in " + x.shape());
    }
    return x.withShape(to);
  }

  private static TensorType slice(Op.Slice op, TensorType x) {
    int dim = TensorChecks.dimension(op, op.dim(), x);
    TensorChecks.notIntegers(op, x);
    if (!(x.shape().dim(dim) instanceof Dim.Const d)) {
      throw new GraphException(
          "'slice' cannot cut the symbolic dimension " + x.shape().dim(dim) + " of " + x.shape());
    }
    if (op.from() < 0 || op.to() <= op.from() || op.to() > d.value()) {
      String range = op.from() + " .. " + op.to();
      throw new GraphException(
          "'slice' " + range + " lies outside dimension " + op.dim() + " of " + x.shape());
    }
    boolean innermost = dim == (x.layout() == Layout.ROWS ? x.shape().rank() - 1 : 0);
    if (innermost
        && (op.from() % x.dtype().blockSize() != 0 || op.to() % x.dtype().blockSize() != 0)) {
      String range = op.from() + " .. " + op.to();
      throw new GraphException(
          "'slice' " + range + " would cut blocks of " + x.dtype().text() + " in " + x.shape());
    }
    return x.withShape(x.shape().with(dim, Dim.of(op.to() - op.from())));
  }

  private static TensorType concat(Op.Concat op, List<TensorType> in) {
    TensorType first = in.get(0);
    TensorChecks.notIntegers(op, first);
    int dim = TensorChecks.dimension(op, op.dim(), first);
    long total = 0;
    for (TensorType x : in) {
      boolean fits =
          x.dtype() == first.dtype()
              && x.layout() == first.layout()
              && x.shape().rank() == first.shape().rank();
      if (!fits || !x.shape().with(dim, Dim.of(1)).equals(first.shape().with(dim, Dim.of(1)))) {
        throw fail(op, "needs inputs that differ only in dimension " + op.dim(), first, x);
      }
      if (!(x.shape().dim(dim) instanceof Dim.Const d)) {
        throw new GraphException(
            "'concat' cannot join along a symbolic dimension: " + op.dim() + " of " + x.shape());
      }
      total = Math.addExact(total, d.value());
    }
    return first.withShape(first.shape().with(dim, Dim.of(total)));
  }

  private static TensorType quantise(Op op, TensorType x) {
    activations(op, x);
    if (innermost(op, x) % DType.Q8_1.blockSize() != 0) {
      throw new GraphException(
          "'quantise' needs rows of whole blocks of 32 values, not " + x.shape());
    }
    return x.withDType(DType.Q8_1);
  }

  private static TensorType dequantise(TensorType x) {
    if (x.layout() != Layout.ROWS || x.dtype() != DType.Q8_1) {
      throw new GraphException("'dequantise' needs q8_1 rows, not " + x);
    }
    return x.withDType(DType.F32);
  }
}
