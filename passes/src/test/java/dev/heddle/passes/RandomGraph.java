package dev.heddle.passes;

import dev.heddle.ir.DType;
import dev.heddle.ir.Dim;
import dev.heddle.ir.Graph;
import dev.heddle.ir.GraphBuilder;
import dev.heddle.ir.Op;
import dev.heddle.ir.Shape;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Graphs of random ops over values [T, 32], [T, 4, 8] and a few narrow ones, all of which have
 * kernels.
 */
final class RandomGraph {
  private static final int N = 32;

  private final SplittableRandom random;
  private final GraphBuilder g = new GraphBuilder();
  private final List<Value> flat = new ArrayList<>();
  private final List<Value> heads = new ArrayList<>();
  private int names;
  private int states;

  private RandomGraph(long seed) {
    random = new SplittableRandom(seed);
  }

  /** The graph of a seed; outputs are "out0", "out1", and every state. */
  static Graph of(long seed) {
    return new RandomGraph(seed).graph();
  }

  private Graph graph() {
    Value ids = g.input(Op.InputKind.IDS);
    flat.add(g.add(new Op.Embed(random.nextBoolean() ? 1 : 1.5), weight(N, 16), ids));
    heads.add(split(flat.get(0)));
    int ops = random.nextInt(4, 30);
    for (int i = 0; i < ops; i++) {
      g.layer(i / 8);
      step();
    }
    g.output("out0", flat.getLast());
    Value rows = g.add(new Op.TakeRows(), pick(flat), g.input(Op.InputKind.OUT_ROWS));
    g.output(
        "out1",
        g.add(
            new Op.Matmul(false, false),
            weight(N, 16),
            g.add(new Op.RmsNorm(1e-6, true), rows, weight(N))));
    return g.build("random");
  }

  private void step() {
    switch (random.nextInt(20)) {
      case 0, 1 -> flat.add(g.add(new Op.Matmul(false, false), weight(N, N), pick(flat)));
      case 2 ->
          flat.add(
              g.add(new Op.Matmul(true, true), weight(N, N), pick(flat), weight(N), weight(1)));
      case 3, 4 -> flat.add(binary(pick(flat), pick(flat)));
      case 5 -> heads.add(binary(pick(heads), pick(heads)));
      case 6 -> heads.add(binary(pick(heads), g.add(reduction(), pick(heads))));
      case 7 ->
          heads.add(
              g.add(new Op.Mul(), pick(heads), random.nextBoolean() ? weight(8) : weight(8, 4)));
      case 8 -> flat.add(g.add(unary(), pick(flat)));
      case 9 -> heads.add(g.add(unary(), pick(heads)));
      case 10 -> flat.add(g.add(new Op.RmsNorm(1e-5, true), pick(flat), weight(N)));
      case 11 ->
          heads.add(
              random.nextBoolean()
                  ? g.add(new Op.RmsNorm(1e-5, false), pick(heads))
                  : g.add(new Op.L2Norm(1e-5), pick(heads)));
      case 12 -> flat.add(join(pick(heads)));
      case 13 -> heads.add(split(pick(flat)));
      case 14 ->
          flat.add(g.add(new Op.Concat(-1), slice(pick(flat), 0, 24), slice(pick(flat), 5, 13)));
      case 15 -> flat.add(g.add(new Op.Softmax(), pick(flat)));
      case 16 -> flat.add(g.add(new Op.Mul(), pick(flat), constant()));
      case 17 -> attention();
      case 18 -> experts();
      default -> flat.add(g.add(new Op.Capture("c" + names++), pick(flat)));
    }
  }

  private void attention() {
    Value pos = g.input(Op.InputKind.POS);
    Value k = g.add(new Op.Slice(1, 0, 2), rope(pick(heads), pos));
    Value v = g.add(new Op.Slice(1, 2, 4), pick(heads));
    Value kc = g.add(new Op.KvAppend(), state(), k, pos);
    Value vc = g.add(new Op.KvAppend(), state(), v, pos);
    heads.add(g.add(new Op.Attention(0.35), rope(pick(heads), pos), kc, vc, pos));
    g.output("state:s" + (states - 2), kc);
    g.output("state:s" + (states - 1), vc);
  }

  private void experts() {
    boolean bias = random.nextBoolean();
    boolean shared = random.nextBoolean();
    boolean gate = shared && random.nextBoolean();
    boolean residual = random.nextBoolean();
    Value x = pick(flat);
    Value logits = g.add(new Op.Matmul(false, false), weight(N, 6), x);
    Op.Score score = Op.Score.values()[random.nextInt(Op.Score.values().length)];
    Op router =
        new Op.Router(
            score, 2, random.nextBoolean() ? 0x1p-14 : 0, random.nextBoolean() ? 1 : 2.5, bias);
    List<Value> routed = g.addAll(router, bias ? List.of(logits, weight(6)) : List.of(logits));
    Value up = g.add(new Op.MatmulId(false, false), weight(N, N, 6), x, routed.get(0));
    Value glu =
        g.add(
            new Op.Glu(Op.Act.SILU),
            g.add(new Op.MatmulId(false, true), weight(N, N, 6), x, routed.get(0), weight(6)),
            up);
    Value down =
        g.add(new Op.MatmulId(true, false), weight(N, N, 6), glu, routed.get(0), weight(N, 6));
    List<Value> inputs = new ArrayList<>(List.of(down, routed.get(1)));
    if (shared) {
      inputs.add(pick(flat));
    }
    if (gate) {
      inputs.add(g.add(new Op.Sigmoid(), g.add(new Op.Matmul(false, false), weight(N, 1), x)));
    }
    if (residual) {
      inputs.add(pick(flat));
    }
    flat.add(g.add(new Op.Combine(shared, gate, residual), inputs));
  }

  private Value rope(Value x, Value pos) {
    return g.add(
        new Op.Rope(
            random.nextBoolean() ? Op.RopeKind.NEOX : Op.RopeKind.NORM,
            6,
            1e4,
            scaling(),
            List.of(),
            false),
        x,
        pos);
  }

  private Op.RopeScaling scaling() {
    return random.nextBoolean() ? new Op.RopeScaling.None() : new Op.RopeScaling.Linear(2);
  }

  private Value state() {
    DType type = random.nextBoolean() ? DType.F32 : DType.F16;
    return g.state(
        "s" + states++, Op.Rollback.APPEND, TensorType.rows(type, Dim.C, Dim.of(2), Dim.of(8)));
  }

  private Value binary(Value x, Value y) {
    Op op =
        random.nextBoolean() ? new Op.Add() : random.nextBoolean() ? new Op.Mul() : new Op.Sub();
    return g.add(op, x, y);
  }

  private Op unary() {
    return switch (random.nextInt(8)) {
      case 0 -> new Op.Scale(random.nextBoolean() ? 1 : 0.7);
      case 1 -> new Op.Clamp(-1, Double.POSITIVE_INFINITY);
      case 2 -> new Op.Clamp(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
      case 3 -> new Op.Silu();
      case 4 -> new Op.Softcap(3);
      case 5 -> new Op.GeluTanh();
      case 6 -> new Op.Tanh();
      default -> new Op.Neg();
    };
  }

  private Op reduction() {
    return switch (random.nextInt(3)) {
      case 0 -> new Op.Sum();
      case 1 -> new Op.Max();
      default -> new Op.Mean();
    };
  }

  private Value constant() {
    return g.add(new Op.Mul(), g.constant(random.nextInt(1, 4)), g.constant(0.5));
  }

  private Value slice(Value x, long from, long to) {
    return g.add(new Op.Slice(1, from, to), x);
  }

  private Value split(Value x) {
    Value other = g.add(new Op.Reshape(Shape.of(Dim.T, Dim.of(8), Dim.of(4))), x);
    return g.add(
        new Op.Reshape(Shape.of(Dim.T, Dim.of(4), Dim.of(8))), random.nextBoolean() ? other : x);
  }

  private Value join(Value x) {
    return g.add(new Op.Reshape(Shape.of(Dim.T, Dim.of(N))), x);
  }

  private Value weight(long... dims) {
    DType type =
        dims.length > 1 && dims[0] % 32 == 0 && random.nextBoolean() ? DType.Q8_0 : DType.F32;
    return g.weight("w" + names++, TensorType.weight(type, dims));
  }

  private Value pick(List<Value> values) {
    return values.get(random.nextInt(values.size()));
  }
}
