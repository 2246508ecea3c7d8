package dev.heddle.ir.plan;

import dev.heddle.ir.DType;
import dev.heddle.ir.Dim;
import dev.heddle.ir.Op;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.plan.KernelKind.Count;
import java.util.ArrayList;
import java.util.List;

/**
 * What a kernel kind computes, said in ops: the semantics of {@link KernelKind} that a target's
 * code is compared with.
 *
 * @param op the op
 * @param results types of the values that the first arguments take, in their order
 * @param inputs where the op's inputs come from
 */
record KernelMeaning(Op op, List<TensorType> results, List<Input> inputs) {
  /** An input of the op. */
  sealed interface Input {
    /** Argument {@code arg} of the launch, read as a type. */
    record Arg(int arg, TensorType type) implements Input {}

    /** What the step header holds. */
    record Header(Op.InputKind kind) implements Input {}

    /** Frequency factors of a rope table. */
    record Factors(RopeTable table) implements Input {}
  }

  private static final Input POSITIONS = new Input.Header(Op.InputKind.POS);

  /**
   * The meaning of a launch.
   *
   * @param kind its kernel
   * @param args its arguments, for those whose value is part of the meaning (rope tables)
   * @param tables the bundle's rope tables
   */
  static KernelMeaning of(KernelKind kind, List<Plan.Arg> args, List<RopeTable> tables) {
    return switch (kind) {
      case KernelKind.EmbedKernel k ->
          one(
              new Op.Embed(k.scale()),
              f32(Dim.T, k.n()),
              arg(1, weight(k.weight(), k.n(), k.vocab())),
              new Input.Header(Op.InputKind.IDS));
      case KernelKind.TakeRowsKernel k ->
          one(
              new Op.TakeRows(),
              f32(Dim.R, k.n()),
              arg(1, f32(Dim.T, k.n())),
              new Input.Header(Op.InputKind.OUT_ROWS));
      case KernelKind.RmsNormKernel k -> {
        TensorType x = f32(rows(k.count()), k.perRow(), k.n());
        Op op = new Op.RmsNorm(k.eps(), k.weight());
        yield k.weight()
            ? one(op, x, arg(1, x), arg(2, weight(DType.F32, k.n())))
            : one(op, x, arg(1, x));
      }
      case KernelKind.L2NormKernel k ->
          same(new Op.L2Norm(k.eps()), f32(rows(k.count()), k.perRow(), k.n()));
      case KernelKind.QuantiseKernel k -> {
        TensorType x = f32(rows(k.count()), k.perRow(), k.n());
        yield one(new Op.Quantise(), x.withDType(DType.Q8_1), arg(1, x));
      }
      case KernelKind.DequantiseKernel k -> {
        TensorType x = f32(rows(k.count()), k.perRow(), k.n());
        yield one(new Op.Dequantise(), x, arg(1, x.withDType(DType.Q8_1)));
      }
      case KernelKind.MatmulKernel k -> matmul(k);
      case KernelKind.ExpertMatmulKernel k -> expertMatmul(k);
      case KernelKind.UnaryKernel k -> same(unary(k), f32(rows(k.count()), k.n()));
      case KernelKind.BinaryKernel k -> {
        TensorType x = f32(rows(k.count()), k.outer(), k.inner());
        yield one(binary(k.function()), x, arg(1, x), arg(2, second(k, x)));
      }
      case KernelKind.GluKernel k -> {
        TensorType x = f32(rows(k.count()), k.perRow(), k.m());
        yield one(new Op.Glu(k.act()), x, arg(1, x), arg(2, x));
      }
      case KernelKind.RopeKernel k -> rope(k, args, tables);
      case KernelKind.KvAppendKernel k ->
          new KernelMeaning(
              new Op.KvAppend(),
              List.of(),
              List.of(
                  arg(0, state(k.cache(), k.heads(), k.d())),
                  arg(1, f32(Dim.T, k.heads(), k.d())),
                  POSITIONS));
      case KernelKind.AttentionKernel k ->
          one(
              new Op.Attention(k.scale()),
              f32(Dim.T, k.heads(), k.dv()),
              arg(1, f32(Dim.T, k.heads(), k.d())),
              arg(2, state(k.cacheK(), k.kvHeads(), k.d())),
              arg(3, state(k.cacheV(), k.kvHeads(), k.dv())),
              POSITIONS);
      case KernelKind.SoftmaxKernel k ->
          same(new Op.Softmax(), f32(rows(k.count()), k.perRow(), k.n()));
      case KernelKind.ReduceKernel k ->
          one(
              reduce(k.function()),
              f32(rows(k.count()), k.perRow(), 1),
              arg(1, f32(rows(k.count()), k.perRow(), k.n())));
      case KernelKind.TopKKernel k ->
          one(new Op.TopK(k.k()), i32(Dim.T, k.k()), arg(1, f32(Dim.T, k.n())));
      case KernelKind.RouterKernel k -> router(k);
      case KernelKind.GatherKernel k ->
          one(
              new Op.GetRows(),
              f32(Dim.T, k.k()),
              arg(1, f32(Dim.T, k.n())),
              arg(2, i32(Dim.T, k.k())));
      case KernelKind.CombineKernel k -> combine(k);
      case KernelKind.ArgmaxKernel k ->
          one(new Op.Argmax(), TensorType.i32(Dim.R), arg(1, f32(Dim.R, k.n())));
      case KernelKind.SliceKernel k ->
          one(
              new Op.Slice(2, k.from(), k.from() + k.width()),
              f32(rows(k.count()), k.outer(), k.width()),
              arg(1, f32(rows(k.count()), k.outer(), k.inner())));
      case KernelKind.ConcatKernel k ->
          one(
              new Op.Concat(1),
              f32(rows(k.count()), k.a() + k.b()),
              arg(1, f32(rows(k.count()), k.a())),
              arg(2, f32(rows(k.count()), k.b())));
    };
  }

  private static KernelMeaning matmul(KernelKind.MatmulKernel k) {
    List<Input> inputs = new ArrayList<>();
    inputs.add(arg(1, weight(k.weight(), k.k(), k.m())));
    inputs.add(arg(2, f32(rows(k.count()), k.k()).withDType(k.input())));
    int next = 3;
    if (k.bias()) {
      inputs.add(arg(next++, weight(DType.F32, k.m())));
    }
    if (k.scale()) {
      inputs.add(arg(next, weight(DType.F32, 1)));
    }
    return new KernelMeaning(
        new Op.Matmul(k.bias(), k.scale()), List.of(f32(rows(k.count()), k.m())), inputs);
  }

  private static KernelMeaning expertMatmul(KernelKind.ExpertMatmulKernel k) {
    TensorType x = k.perExpertInput() ? f32(Dim.T, k.used(), k.k()) : f32(Dim.T, k.k());
    List<Input> inputs = new ArrayList<>();
    inputs.add(arg(1, weight(k.weight(), k.k(), k.m(), k.experts())));
    inputs.add(arg(2, x.withDType(k.input())));
    inputs.add(arg(3, i32(Dim.T, k.used())));
    int next = 4;
    if (k.bias()) {
      inputs.add(arg(next++, weight(DType.F32, k.m(), k.experts())));
    }
    if (k.scale()) {
      inputs.add(arg(next, weight(DType.F32, k.experts())));
    }
    return new KernelMeaning(
        new Op.MatmulId(k.bias(), k.scale()), List.of(f32(Dim.T, k.used(), k.m())), inputs);
  }

  private static KernelMeaning rope(
      KernelKind.RopeKernel k, List<Plan.Arg> args, List<RopeTable> tables) {
    if (!(args.get(2) instanceof Plan.Arg.Table index)) {
      throw new PlanFault("the third argument of a rope kernel is a table, not " + args.get(2));
    }
    RopeTable table = tables.get(index.table());
    boolean factors = !table.factorsTensor().isEmpty();
    TensorType x = f32(Dim.T, k.heads(), k.d());
    Op op = new Op.Rope(k.kind(), k.dims(), table.base(), table.scaling(), List.of(), factors);
    return factors
        ? one(op, x, arg(1, x), POSITIONS, new Input.Factors(table))
        : one(op, x, arg(1, x), POSITIONS);
  }

  private static KernelMeaning router(KernelKind.RouterKernel k) {
    List<Input> inputs = new ArrayList<>();
    inputs.add(arg(2, f32(Dim.T, k.n())));
    if (k.bias()) {
      inputs.add(arg(3, weight(DType.F32, k.n())));
    }
    return new KernelMeaning(
        new Op.Router(k.score(), k.k(), k.floor(), k.scale(), k.bias()),
        List.of(i32(Dim.T, k.k()), f32(Dim.T, k.k())),
        inputs);
  }

  private static KernelMeaning combine(KernelKind.CombineKernel k) {
    TensorType row = f32(Dim.T, k.n());
    List<Input> inputs = new ArrayList<>();
    inputs.add(arg(1, f32(Dim.T, k.used(), k.n())));
    inputs.add(arg(2, f32(Dim.T, k.used())));
    int next = 3;
    if (k.shared()) {
      inputs.add(arg(next++, row));
    }
    if (k.gate()) {
      inputs.add(arg(next++, f32(Dim.T, 1)));
    }
    if (k.residual()) {
      inputs.add(arg(next, row));
    }
    return new KernelMeaning(
        new Op.Combine(k.shared(), k.gate(), k.residual()), List.of(row), inputs);
  }

  private static Op unary(KernelKind.UnaryKernel k) {
    return switch (k.function()) {
      case SCALE -> new Op.Scale(k.a());
      case CLAMP -> new Op.Clamp(k.a(), k.b());
      case NEG -> new Op.Neg();
      case ABS -> new Op.Abs();
      case EXP -> new Op.Exp();
      case SQRT -> new Op.Sqrt();
      case TANH -> new Op.Tanh();
      case RELU -> new Op.Relu();
      case SIGMOID -> new Op.Sigmoid();
      case SILU -> new Op.Silu();
      case GELU_TANH -> new Op.GeluTanh();
      case GELU_ERF -> new Op.GeluErf();
      case SOFTPLUS -> new Op.Softplus();
      case SOFTCAP -> new Op.Softcap(k.a());
    };
  }

  private static Op binary(KernelKind.Binary function) {
    return switch (function) {
      case ADD -> new Op.Add();
      case SUB -> new Op.Sub();
      case MUL -> new Op.Mul();
      case DIV -> new Op.Div();
    };
  }

  private static Op reduce(KernelKind.Reduce function) {
    return switch (function) {
      case SUM -> new Op.Sum();
      case MAX -> new Op.Max();
      case MEAN -> new Op.Mean();
    };
  }

  private static TensorType second(KernelKind.BinaryKernel k, TensorType x) {
    return switch (k.broadcast()) {
      case NONE -> x;
      case INNER -> f32(rows(k.count()), k.outer(), 1);
      case OUTER -> weight(DType.F32, k.inner());
      case SCALAR -> weight(DType.F32, 1);
    };
  }

  private static KernelMeaning same(Op op, TensorType type) {
    return one(op, type, arg(1, type));
  }

  private static KernelMeaning one(Op op, TensorType result, Input... inputs) {
    return new KernelMeaning(op, List.of(result), List.of(inputs));
  }

  private static Input arg(int arg, TensorType type) {
    return new Input.Arg(arg, type);
  }

  private static Dim rows(Count count) {
    return switch (count) {
      case TOKENS -> Dim.T;
      case OUT_ROWS -> Dim.R;
    };
  }

  private static TensorType f32(Dim rows, int... dims) {
    return typed(DType.F32, rows, dims);
  }

  private static TensorType i32(Dim rows, int... dims) {
    return typed(DType.I32, rows, dims);
  }

  private static TensorType state(DType type, int... dims) {
    return typed(type, Dim.C, dims);
  }

  private static TensorType typed(DType type, Dim rows, int... dims) {
    Dim[] all = new Dim[dims.length + 1];
    all[0] = rows;
    for (int i = 0; i < dims.length; i++) {
      all[i + 1] = Dim.of(dims[i]);
    }
    return TensorType.rows(type, all);
  }

  private static TensorType weight(DType type, long... dims) {
    return TensorType.weight(type, dims);
  }
}
