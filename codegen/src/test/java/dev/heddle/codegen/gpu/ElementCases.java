package dev.heddle.codegen.gpu;

import dev.heddle.ir.Op;
import dev.heddle.ir.plan.KernelKind.Binary;
import dev.heddle.ir.plan.KernelKind.BinaryKernel;
import dev.heddle.ir.plan.KernelKind.Broadcast;
import dev.heddle.ir.plan.KernelKind.CombineKernel;
import dev.heddle.ir.plan.KernelKind.ConcatKernel;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.KernelKind.GluKernel;
import dev.heddle.ir.plan.KernelKind.SliceKernel;
import dev.heddle.ir.plan.KernelKind.Unary;
import dev.heddle.ir.plan.KernelKind.UnaryKernel;

/** Functions of single values, and copies of them. */
final class ElementCases {
  private static final int OUTER = 5;
  private static final int INNER = 60;
  private static final int N = OUTER * INNER;

  private ElementCases() {}

  static void addTo(Cases cases) {
    for (Unary function : Unary.values()) {
      unary(cases, function);
    }
    for (Broadcast broadcast : Broadcast.values()) {
      for (Binary function : Binary.values()) {
        binary(cases, function, broadcast);
      }
    }
    for (Op.Act act : Op.Act.values()) {
      float[] gate = cases.floats(cases.key.tokens() * N);
      float[] up = cases.floats(gate.length);
      cases.floats(
          "glu " + act,
          new GluKernel(Count.TOKENS, OUTER, INNER, act),
          Count.TOKENS,
          N,
          1e-6,
          i -> function(Unary.valueOf(act.name()), gate[i]) * up[i],
          Data.bytes(gate),
          Data.bytes(up));
    }
    combine(cases);
    copies(cases);
  }

  /** Values from -60 to 60 and the odd ones. */
  private static void unary(Cases cases, Unary function) {
    float[] x = cases.floats(cases.key.tokens() * N);
    for (int i = 0; i < x.length; i++) {
      x[i] *= i % 3 == 0 ? 30 : i % 3 == 1 ? 1 : 1e-3f;
      x[i] = function == Unary.SQRT ? Math.abs(x[i]) : x[i];
    }
    x[0] = Float.NaN;
    x[1] = 0;
    x[2] = function == Unary.SQRT || function == Unary.EXP ? 3 : -3;
    // Exponentials span too many magnitudes for a tolerance that is relative to the largest.
    double tolerance = function == Unary.EXP ? 1.5e-7 : 3e-7;
    cases.floats(
        "unary " + function,
        new UnaryKernel(Count.TOKENS, N, function, 1.5, 2.5),
        Count.TOKENS,
        N,
        tolerance,
        i -> function(function, x[i]),
        Data.bytes(x));
  }

  private static double function(Unary function, double x) {
    return switch (function) {
      case SCALE -> 1.5 * x;
      case CLAMP -> Double.isNaN(x) ? x : Math.clamp(x, 1.5, 2.5);
      case NEG -> -x;
      case ABS -> Math.abs(x);
      case EXP -> Math.exp(x);
      case SQRT -> Math.sqrt(x);
      case TANH -> Math.tanh(x);
      case RELU -> Math.max(x, 0);
      case SIGMOID -> 1 / (1 + Math.exp(-x));
      case SILU -> x / (1 + Math.exp(-x));
      case GELU_TANH ->
          0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));
      case GELU_ERF -> 0.5 * x * (1 + erf(x / Math.sqrt(2)));
      case SOFTPLUS -> x > 20 ? x : Math.log1p(Math.exp(x));
      case SOFTCAP -> 1.5 * Math.tanh(x / 1.5);
    };
  }

  /** By its series, which f64 sums without loss for |x| below 4; beyond, erf is 1 to 8 digits. */
  private static double erf(double x) {
    if (Math.abs(x) > 4) {
      return Math.signum(x);
    }
    double term = x;
    double sum = x;
    for (int n = 1; n < 120; n++) {
      term *= -x * x / n;
      sum += term / (2 * n + 1);
    }
    return 2 / Math.sqrt(Math.PI) * sum;
  }

  private static void binary(Cases cases, Binary function, Broadcast broadcast) {
    float[] x = cases.floats(cases.key.tokens() * N);
    float[] z =
        cases.floats(
            switch (broadcast) {
              case NONE -> x.length;
              case INNER -> cases.key.tokens() * OUTER;
              case OUTER -> INNER;
              case SCALAR -> 1;
            });
    cases.floats(
        "binary " + function + " " + broadcast,
        new BinaryKernel(Count.TOKENS, OUTER, INNER, function, broadcast),
        Count.TOKENS,
        N,
        1e-7,
        i -> {
          double right =
              z[
                  switch (broadcast) {
                    case NONE -> i;
                    case INNER -> i / INNER;
                    case OUTER -> i % INNER;
                    case SCALAR -> 0;
                  }];
          return switch (function) {
            case ADD -> x[i] + right;
            case SUB -> x[i] - right;
            case MUL -> x[i] * right;
            case DIV -> x[i] / right;
          };
        },
        Data.bytes(x),
        Data.bytes(z));
  }

  private static void combine(Cases cases) {
    int used = 3;
    int tokens = cases.key.tokens();
    float[] y = cases.floats(tokens * used * N);
    float[] w = cases.floats(tokens * used);
    float[] shared = cases.floats(tokens * N);
    float[] gate = cases.floats(tokens);
    float[] residual = cases.floats(tokens * N);
    cases.floats(
        "combine of all",
        new CombineKernel(used, N, true, true, true),
        Count.TOKENS,
        N,
        1e-6,
        i -> residual[i] + (double) gate[i / N] * shared[i] + routed(y, w, used, i),
        Data.bytes(y),
        Data.bytes(w),
        Data.bytes(shared),
        Data.bytes(gate),
        Data.bytes(residual));
    cases.floats(
        "combine with residual",
        new CombineKernel(used, N, false, false, true),
        Count.TOKENS,
        N,
        1e-6,
        i -> residual[i] + routed(y, w, used, i),
        Data.bytes(y),
        Data.bytes(w),
        Data.bytes(residual));
  }

  private static double routed(float[] y, float[] w, int used, int i) {
    double sum = 0;
    for (int k = 0; k < used; k++) {
      sum += (double) w[i / N * used + k] * y[(i / N * used + k) * N + i % N];
    }
    return sum;
  }

  private static void copies(Cases cases) {
    float[] x = cases.floats(cases.key.tokens() * N);
    cases.floats(
        "slice",
        new SliceKernel(Count.TOKENS, OUTER, INNER, 8, 20),
        Count.TOKENS,
        OUTER * 20,
        0,
        i -> x[i / 20 * INNER + 8 + i % 20],
        Data.bytes(x));
    float[] z = cases.floats(cases.key.outRows() * 28);
    float[] first = cases.floats(cases.key.outRows() * 33);
    cases.floats(
        "concat",
        new ConcatKernel(Count.OUT_ROWS, 33, 28),
        Count.OUT_ROWS,
        61,
        0,
        i -> i % 61 < 33 ? first[i / 61 * 33 + i % 61] : z[i / 61 * 28 + i % 61 - 33],
        Data.bytes(first),
        Data.bytes(z));
  }
}
