package dev.heddle.codegen.gpu;

import dev.heddle.ir.plan.KernelKind.ArgmaxKernel;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.KernelKind.GatherKernel;
import dev.heddle.ir.plan.KernelKind.Reduce;
import dev.heddle.ir.plan.KernelKind.ReduceKernel;
import dev.heddle.ir.plan.KernelKind.SoftmaxKernel;
import dev.heddle.ir.plan.KernelKind.TopKKernel;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/** Reductions of rows and choices among their values. */
final class RankCases {
  private RankCases() {}

  static void addTo(Cases cases) {
    reduce(cases, 3, 50);
    reduce(cases, 1, 700);
    softmax(cases, 2, 40);
    softmax(cases, 1, 900);
    topK(cases, 300, 8);
    topK(cases, 20, 20);
    argmax(cases, 5000);
    argmax(cases, 31);
  }

  private static void reduce(Cases cases, int perRow, int n) {
    for (Reduce function : Reduce.values()) {
      float[] x = cases.floats(cases.key.tokens() * perRow * n);
      x[n - 1] = function == Reduce.MAX ? Float.NaN : 1;
      cases.floats(
          "reduce " + function + " " + n,
          new ReduceKernel(Count.TOKENS, perRow, n, function),
          Count.TOKENS,
          perRow,
          2e-6,
          i -> {
            IntStream row = IntStream.range(i * n, i * n + n).filter(j -> x[j] == x[j]);
            return switch (function) {
              case SUM -> row.mapToDouble(j -> x[j]).sum();
              case MEAN -> row.mapToDouble(j -> x[j]).sum() / n;
              case MAX -> row.mapToDouble(j -> x[j]).max().orElseThrow();
            };
          },
          Data.bytes(x));
    }
  }

  private static void softmax(Cases cases, int perRow, int n) {
    float[] x = cases.floats(cases.key.tokens() * perRow * n);
    x[3] = Float.NEGATIVE_INFINITY;
    if (perRow > 1) {
      Arrays.fill(x, n, 2 * n, Float.NEGATIVE_INFINITY);
    }
    cases.floats(
        "softmax " + n,
        new SoftmaxKernel(Count.TOKENS, perRow, n),
        Count.TOKENS,
        perRow * n,
        1e-6,
        i -> {
          int from = i / n * n;
          double most = IntStream.range(from, from + n).mapToDouble(j -> x[j]).max().orElseThrow();
          double sum =
              IntStream.range(from, from + n).mapToDouble(j -> Math.exp(x[j] - most)).sum();
          return most == Double.NEGATIVE_INFINITY ? 0 : Math.exp(x[i] - most) / sum;
        },
        Data.bytes(x));
  }

  private static void topK(Cases cases, int n, int k) {
    float[] x = cases.floats(cases.key.tokens() * n);
    x[2] = Float.NaN;
    x[4] = Float.NaN;
    x[5] = 3;
    x[n - 1] = 3;
    x[7] = 0f;
    x[6] = -0f;
    x[8] = Float.NEGATIVE_INFINITY;
    int rows = cases.step.ids().length;
    int[] ids = new int[cases.key.tokens() * k];
    Arrays.fill(ids, 0xCBCBCBCB);
    for (int t = 0; t < rows; t++) {
      int[] order = order(x, t * n, n);
      System.arraycopy(order, 0, ids, t * k, k);
    }
    cases.bytes(
        "top_k " + n,
        new TopKKernel(n, k),
        Data.unwritten(ids.length),
        Data.bytes(ids),
        Data.bytes(x));
    cases.floats(
        "gather " + n,
        new GatherKernel(n, k),
        Count.TOKENS,
        k,
        0,
        i -> x[i / k * n + ids[i]],
        Data.bytes(x),
        Data.bytes(ids));
  }

  private static void argmax(Cases cases, int n) {
    float[] x = cases.floats(cases.key.outRows() * n);
    x[0] = Float.NaN;
    x[n / 2] = 5;
    x[n / 2 + 3] = 5;
    int[] ids = new int[cases.key.outRows()];
    Arrays.fill(ids, 0xCBCBCBCB);
    for (int r = 0; r < cases.step.wanted().length; r++) {
      ids[r] = order(x, r * n, n)[0];
    }
    cases.bytes(
        "argmax " + n,
        new ArgmaxKernel(n),
        Data.unwritten(ids.length),
        Data.bytes(ids),
        Data.bytes(x));
  }

  /** Indices by value descending, then index ascending; NaN last. -0 equals 0. */
  private static int[] order(float[] x, int from, int n) {
    Comparator<Integer> isNumber = Comparator.comparing(i -> x[from + i] != x[from + i]);
    return IntStream.range(0, n)
        .boxed()
        .sorted(
            isNumber
                .thenComparing(i -> x[from + i] != x[from + i] ? 0f : -(x[from + i] + 0f))
                .thenComparing(i -> i))
        .mapToInt(i -> i)
        .toArray();
  }
}
