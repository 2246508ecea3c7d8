package dev.heddle.codegen.gpu;

import dev.heddle.ir.DType;
import dev.heddle.ir.Q81;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.KernelKind.Count;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Embedding, selection of rows, norms, quantisation. */
final class RowCases {
  private static final int VOCABULARY = 7;

  private RowCases() {}

  static void addTo(Cases cases) {
    embed(cases);
    norms(cases);
    quantise(cases);
    float[] x = cases.floats(cases.key.tokens() * 70);
    cases.floats(
        "take_rows",
        new KernelKind.TakeRowsKernel(70),
        Count.OUT_ROWS,
        70,
        0,
        i -> x[cases.step.wanted()[i / 70] * 70 + i % 70],
        Data.bytes(x));
  }

  private static void embed(Cases cases) {
    float[] w = cases.floats(VOCABULARY * 40);
    cases.floats(
        "embed f32",
        new KernelKind.EmbedKernel(DType.F32, 40, VOCABULARY, 1),
        Count.TOKENS,
        40,
        0,
        i -> w[cases.step.ids()[i / 40] * 40 + i % 40],
        Data.bytes(w));
    var q = Data.Quantised.random(cases.random, VOCABULARY, 288);
    cases.floats(
        "embed q8_0",
        new KernelKind.EmbedKernel(DType.Q8_0, 288, VOCABULARY, 3),
        Count.TOKENS,
        288,
        1e-7,
        i -> 3.0 * q.values()[cases.step.ids()[i / 288] * 288 + i % 288],
        q.planar());
  }

  private static void norms(Cases cases) {
    norm(cases, Count.TOKENS, 3, 80, true);
    norm(cases, Count.TOKENS, 2, 128, false);
    norm(cases, Count.OUT_ROWS, 1, 4200, true);
    int n = 100;
    float[] x = cases.floats(cases.key.tokens() * 2 * n);
    cases.floats(
        "l2_norm",
        new KernelKind.L2NormKernel(Count.TOKENS, 2, n, 1e-6),
        Count.TOKENS,
        2 * n,
        1e-6,
        i -> x[i] / Math.sqrt(squares(x, i / n * n, n) + 1e-6),
        Data.bytes(x));
  }

  private static void norm(Cases cases, Count count, int perRow, int n, boolean weight) {
    float[] x = cases.floats(cases.bucket(count) * perRow * n);
    Arrays.fill(x, 0, n, 0f); // a row of zeros stays one
    float[] w = cases.floats(n);
    var kind = new KernelKind.RmsNormKernel(count, perRow, n, 1e-6, weight);
    byte[][] inputs =
        weight ? new byte[][] {Data.bytes(x), Data.bytes(w)} : new byte[][] {Data.bytes(x)};
    cases.floats(
        "rms_norm " + perRow + "x" + n,
        kind,
        count,
        perRow * n,
        1e-6,
        i -> x[i] / Math.sqrt(squares(x, i / n * n, n) / n + 1e-6) * (weight ? w[i % n] : 1),
        inputs);
  }

  private static double squares(float[] x, int from, int n) {
    double sum = 0;
    for (int i = from; i < from + n; i++) {
      sum += (double) x[i] * x[i];
    }
    return sum;
  }

  private static void quantise(Cases cases) {
    int perRow = 3;
    int n = 96;
    int rows = cases.rows(Count.TOKENS) * perRow;
    float[] x = cases.floats(cases.key.tokens() * perRow * n);
    Arrays.fill(x, 0, 32, 0f);
    x[40] = 1e-39f;
    for (int i = 64; i < 96; i++) {
      x[i] = i * 1e-44f; // denormal values, whose scale rounds to zero or nearly so
    }
    byte[] expected = new byte[cases.key.tokens() * perRow * n / 32 * 40];
    Arrays.fill(expected, (byte) 0xCB);
    Q81.quantiseRow(x, 0, rows * n, MemorySegment.ofArray(expected), 0);
    byte[] before = new byte[expected.length];
    Arrays.fill(before, (byte) 0xCB);
    cases.bytes(
        "quantise",
        new KernelKind.QuantiseKernel(Count.TOKENS, perRow, n),
        before,
        expected,
        Data.bytes(x));
    float[] back = new float[rows * n];
    Q81.dequantiseRow(MemorySegment.ofArray(expected), 0, back, 0, back.length);
    cases.floats(
        "dequantise",
        new KernelKind.DequantiseKernel(Count.TOKENS, perRow, n),
        Count.TOKENS,
        perRow * n,
        0,
        i -> back[i],
        expected);
  }
}
