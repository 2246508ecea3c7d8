package dev.heddle.ir;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * Seeded random graphs for property tests: every op occurs, every graph is accepted by the verifier
 * and can be evaluated. Rows are {@code [T, n]} or {@code [T, h, n]} with few values.
 */
public final class RandomGraphs {
  private static final long[] SIZES = {2, 4, 8, 32, 64};
  public static final long VOCABULARY = 11;

  private final SplittableRandom random;
  private final boolean smooth;
  private final GraphBuilder g = new GraphBuilder();
  private final List<Value> rows = new ArrayList<>();
  private int names;

  private RandomGraphs(long seed, boolean smooth) {
    this.random = new SplittableRandom(seed);
    this.smooth = smooth;
  }

  /** A graph of about {@code size} steps with any op. */
  public static Graph any(long seed, int size) {
    return new RandomGraphs(seed, false).build(size);
  }

  /** A graph of well-conditioned ops only: no choice, no quantisation, nothing that grows. */
  public static Graph smooth(long seed, int size) {
    return new RandomGraphs(seed, true).build(size);
  }

  private Graph build(int size) {
    place();
    rows.add(
        g.add(
            new Op.Embed(random.nextBoolean() ? 1 : 0.5),
            weight(size(), VOCABULARY),
            g.input(Op.InputKind.IDS)));
    for (int i = 0; i < size; i++) {
      place();
      step();
    }
    Value last = pick(t -> true);
    Value h = g.add(new Op.TakeRows(), last, g.input(Op.InputKind.OUT_ROWS));
    g.output("logits", h);
    if (random.nextBoolean()) {
      g.output("ids", g.add(new Op.Argmax(), h));
    }
    if (random.nextBoolean()) {
      g.output("hidden", g.add(new Op.Capture("hidden \"" + names), pick(t -> true)));
    }
    return g.build(random.nextBoolean() ? "main" : "a graph; with = odd \\ name");
  }

  private void place() {
    Source source =
        switch (random.nextInt(4)) {
          case 0 -> Source.NONE;
          case 1 -> Source.at("qwen3.model", 1 + random.nextInt(90), random.nextInt(3));
          case 2 -> new Source("qwen3.model", 7, 3, Source.at("a b:c.model", 9, 2));
          default -> new Source("layer", 7, 0, new Source("x", 1, 1, Source.at("", 2, 0)));
        };
    String[] roles = {"", "attn", "ffn", "layer", "two words", "from"};
    g.at(random.nextInt(4) - 1, roles[random.nextInt(roles.length)], source);
  }

  private void step() {
    Value x = pick(t -> true);
    long n = g.type(x).innermost().value();
    switch (random.nextInt(smooth ? 11 : 20)) {
      case 0 -> rows.add(g.add(new Op.Add(), x, operand(x)));
      case 1 -> rows.add(g.add(new Op.Sub(), x, operand(x)));
      case 2 -> rows.add(g.add(new Op.Mul(), g.add(new Op.Tanh(), x), operand(x)));
      case 3 -> rows.add(g.add(smoothUnary(), x));
      case 4 -> norm(x, n);
      case 5 -> matmul(x, n);
      case 6 ->
          rows.add(
              g.add(
                  new Op.Glu(oneOf(Op.Act.values())),
                  g.add(new Op.Tanh(), x),
                  g.add(new Op.Neg(), x)));
      case 7 -> layout(x, n);
      case 8 -> rows.add(g.add(random.nextBoolean() ? new Op.Sum() : new Op.Mean(), x));
      case 9 -> attention();
      case 10 -> rows.add(g.add(new Op.Softmax(), g.add(new Op.Tanh(), x)));
      case 11 -> rows.add(g.add(roughUnary(), x));
      case 12 -> rows.add(g.add(new Op.Div(), x, operand(x)));
      case 13 -> rows.add(g.add(new Op.Max(), x));
      case 14 -> quantised();
      case 15 -> experts();
      case 16 -> chosen(x, n);
      case 17 -> grouped();
      case 18 -> rows.add(g.add(new Op.Capture("c" + names++), x));
      default -> rows.add(g.add(new Op.Add(), x, g.constant(random.nextInt(-3, 4) / 2.0)));
    }
  }

  /** Something to combine x with: equal shape, one row for all, or one value a row. */
  private Value operand(Value x) {
    TensorType type = g.type(x);
    return switch (random.nextInt(4)) {
      case 0 -> pick(t -> t.equals(type));
      case 1 -> weight(type.innermost().value());
      case 2 -> g.constant(0.25);
      default -> g.add(new Op.Mean(), x);
    };
  }

  private Op smoothUnary() {
    return switch (random.nextInt(10)) {
      case 0 -> new Op.Scale(0.375);
      case 1 -> new Op.Clamp(-0.5, Double.POSITIVE_INFINITY);
      case 2 -> new Op.Neg();
      case 3 -> new Op.Abs();
      case 4 -> new Op.Relu();
      case 5 -> new Op.Sigmoid();
      case 6 -> new Op.Silu();
      case 7 -> new Op.GeluTanh();
      case 8 -> new Op.GeluErf();
      default -> new Op.Softcap(30);
    };
  }

  private Op roughUnary() {
    return switch (random.nextInt(3)) {
      case 0 -> new Op.Exp();
      case 1 -> new Op.Sqrt();
      default -> new Op.Softplus();
    };
  }

  private void norm(Value x, long n) {
    double eps = random.nextBoolean() ? 1e-6 : 0.1;
    switch (random.nextInt(3)) {
      case 0 -> rows.add(g.add(new Op.RmsNorm(eps, false), x));
      case 1 -> rows.add(g.add(new Op.RmsNorm(eps, true), x, weight(n)));
      default -> rows.add(g.add(new Op.L2Norm(eps), x));
    }
  }

  private void matmul(Value x, long n) {
    long m = size();
    List<Value> in = new ArrayList<>(List.of(random.nextBoolean() ? weight(n, m) : range(n, m), x));
    boolean bias = random.nextBoolean();
    boolean scale = random.nextInt(4) == 0;
    if (bias) {
      in.add(weight(m));
    }
    if (scale) {
      in.add(g.constant(0.5));
    }
    rows.add(g.add(new Op.RmsNorm(1e-5, false), g.add(new Op.Matmul(bias, scale), in)));
  }

  private void layout(Value x, long n) {
    TensorType type = g.type(x);
    List<Dim> dims = new ArrayList<>(type.shape().dims());
    switch (random.nextInt(4)) {
      case 0 -> {
        if (dims.size() == 2 && n % 2 == 0) {
          dims.set(1, Dim.of(2));
          dims.add(Dim.of(n / 2));
          rows.add(g.add(new Op.Reshape(new Shape(dims)), x));
        }
      }
      case 1 -> {
        if (dims.size() == 3) {
          Dim all = Dim.of(dims.get(1).value() * n);
          rows.add(g.add(new Op.Reshape(Shape.of(dims.get(0), all)), x));
        }
      }
      case 2 -> rows.add(g.add(new Op.Slice(-1, n / 2, n), x));
      default -> rows.add(g.add(new Op.Concat(dims.size() - 1), x, pick(t -> t.equals(type)), x));
    }
  }

  private void attention() {
    int h = 1 + random.nextInt(2);
    int d = 32;
    Value pos = g.input(Op.InputKind.POS);
    Value q = heads(h * 2, d);
    DType cache =
        smooth
            ? DType.F32
            : oneOf(new DType[] {DType.F32, DType.F16, DType.BF16, DType.Q8_0, DType.Q4_0});
    TensorType state = TensorType.rows(cache, Dim.C, Dim.of(h), Dim.of(d));
    int number = names++;
    Value k =
        g.add(
            new Op.KvAppend(),
            g.state("kc." + number, Op.Rollback.APPEND, state),
            rope(heads(h, d), pos),
            pos);
    Value v =
        g.add(
            new Op.KvAppend(),
            g.state("vc " + number, Op.Rollback.APPEND, state),
            heads(h, d),
            pos);
    rows.add(g.add(new Op.Attention(1 / Math.sqrt(d)), rope(q, pos), k, v, pos));
    g.output("state:kc." + number, k);
    g.output("state:vc " + number, v);
  }

  private Value rope(Value x, Value pos) {
    Op.RopeScaling scaling =
        switch (random.nextInt(3)) {
          case 0 -> new Op.RopeScaling.None();
          case 1 -> new Op.RopeScaling.Linear(4);
          default -> new Op.RopeScaling.Yarn(4, 32768, 1, 32, 1);
        };
    Op.RopeKind kind = oneOf(Op.RopeKind.values());
    List<Integer> sections = kind == Op.RopeKind.IMROPE ? List.of(11, 11, 10, 0) : List.of();
    if (random.nextBoolean()) {
      return g.add(new Op.Rope(kind, 16, 1e4, scaling, sections, false), x, pos);
    }
    return g.add(
        new Op.Rope(kind, 8, 1e6, scaling, sections, true), x, pos, g.add(new Op.Abs(), weight(4)));
  }

  private Value heads(int h, int d) {
    Value x = pick(t -> t.shape().rank() == 2);
    Value y =
        g.add(new Op.Matmul(false, false), weight(g.type(x).innermost().value(), (long) h * d), x);
    Value split = g.add(new Op.Reshape(Shape.of(Dim.T, Dim.of(h), Dim.of(d))), y);
    return g.add(new Op.RmsNorm(1e-6, false), split);
  }

  private void quantised() {
    Value x = pick(t -> t.innermost().value() % 32 == 0);
    if (g.type(x).innermost().value() % 32 != 0) {
      return;
    }
    Value q = g.add(new Op.Quantise(), x);
    rows.add(g.add(new Op.Dequantise(), q));
    rows.add(g.add(new Op.Matmul(false, false), weight(g.type(x).innermost().value(), size()), q));
  }

  private void experts() {
    Value x = pick(t -> t.shape().rank() == 2);
    long n = g.type(x).innermost().value();
    int experts = 3 + random.nextInt(4);
    int k = 1 + random.nextInt(2);
    Value logits = g.add(new Op.Matmul(false, false), weight(n, experts), x);
    boolean bias = random.nextBoolean();
    Op router =
        new Op.Router(
            oneOf(Op.Score.values()),
            k,
            random.nextBoolean() ? 0 : 0x1p-14,
            random.nextInt(1, 3),
            bias);
    List<Value> chosen =
        g.addAll(router, bias ? List.of(logits, weight(experts)) : List.of(logits));
    Value up = g.add(new Op.MatmulId(false, false), weight(n, 8, experts), x, chosen.get(0));
    Value down =
        g.add(
            new Op.MatmulId(true, false),
            weight(8, n, experts),
            up,
            chosen.get(0),
            weight(n, experts));
    boolean shared = random.nextBoolean();
    boolean gate = shared && random.nextBoolean();
    boolean residual = random.nextBoolean();
    List<Value> in = new ArrayList<>(List.of(down, chosen.get(1)));
    if (shared) {
      in.add(g.add(new Op.Silu(), x));
    }
    if (gate) {
      in.add(g.add(new Op.Sigmoid(), g.add(new Op.Mean(), x)));
    }
    if (residual) {
      in.add(x);
    }
    rows.add(g.add(new Op.Combine(shared, gate, residual), in));
  }

  private void chosen(Value x, long n) {
    Value ids = g.add(new Op.TopK((int) Math.min(n, 1 + random.nextInt(3))), x);
    if (g.type(x).shape().rank() == 2) {
      rows.add(g.add(new Op.GetRows(), x, ids));
      List<Dim> dims = List.of(Dim.T, Dim.of(n), Dim.of(1));
      rows.add(g.add(new Op.GetRows(), g.add(new Op.Reshape(new Shape(dims)), x), ids));
    }
  }

  private void grouped() {
    Value x = pick(t -> t.shape().rank() == 3);
    if (g.type(x).shape().rank() == 3) {
      rows.add(
          g.add(
              new Op.MatmulGrouped(),
              weight(g.type(x).innermost().value(), 4, g.type(x).shape().dim(1).value()),
              x));
    }
  }

  private Value weight(long... dims) {
    String name = random.nextInt(5) == 0 ? "odd name \"" + names++ : "blk." + names++ + ".w";
    return g.weight(name, TensorType.weight(dtype(dims), dims));
  }

  private DType dtype(long[] dims) {
    if (smooth || dims.length == 1) {
      return DType.F32;
    }
    DType[] types = {DType.F32, DType.BF16, DType.F16, DType.Q8_0, DType.Q4_0};
    return types[random.nextInt(dims[0] % 32 == 0 ? 5 : 3)];
  }

  private Value range(long n, long m) {
    return g.weight(
        "stacked." + names++,
        3,
        random.nextBoolean() ? 3 + m : -1,
        TensorType.weight(DType.F32, n, m));
  }

  private Value pick(Predicate<TensorType> wanted) {
    List<Value> fitting = rows.stream().filter(v -> wanted.test(g.type(v))).toList();
    return fitting.isEmpty() ? rows.get(0) : fitting.get(random.nextInt(fitting.size()));
  }

  private long size() {
    return SIZES[random.nextInt(SIZES.length)];
  }

  private <E> E oneOf(E[] values) {
    return values[random.nextInt(values.length)];
  }
}
