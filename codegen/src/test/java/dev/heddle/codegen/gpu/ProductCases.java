package dev.heddle.codegen.gpu;

import dev.heddle.ir.DType;
import dev.heddle.ir.Q81;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.KernelKind.MatmulKernel;
import dev.heddle.ir.plan.PlanKey.Rows;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Matrix products of every pair of types, widths that fill the waves and widths that do not, a last
 * block that is not full.
 */
final class ProductCases {
  private ProductCases() {}

  static void addTo(Cases cases) {
    product(cases, Count.TOKENS, DType.F32, DType.F32, 33, 5, false, false);
    product(cases, Count.TOKENS, DType.F32, DType.F32, 260, 7, true, true);
    product(cases, Count.OUT_ROWS, DType.F32, DType.F32, 64, 2049, false, true);
    product(cases, Count.TOKENS, DType.Q8_0, DType.F32, 288, 9, true, false);
    product(cases, Count.TOKENS, DType.Q8_0, DType.F32, 2048, 6, false, false);
    product(cases, Count.TOKENS, DType.Q8_0, DType.Q8_1, 32, 3, false, false);
    product(cases, Count.TOKENS, DType.Q8_0, DType.Q8_1, 1056, 5, true, true);
    product(cases, Count.OUT_ROWS, DType.Q8_0, DType.Q8_1, 4128, 6, false, false);
  }

  private static void product(
      Cases cases,
      Count count,
      DType weight,
      DType input,
      int k,
      int m,
      boolean bias,
      boolean scale) {
    float[] x = cases.floats(cases.bucket(count) * k);
    byte[] in = Data.bytes(x);
    if (input == DType.Q8_1) {
      in = new byte[x.length / 32 * 40];
      Q81.quantiseRow(x, 0, x.length, MemorySegment.ofArray(in), 0);
      Q81.dequantiseRow(MemorySegment.ofArray(in), 0, x, 0, x.length);
    }
    float[] w;
    byte[] stored;
    if (weight == DType.Q8_0) {
      var q = Data.Quantised.random(cases.random, m, k);
      w = q.values();
      stored = q.planar();
    } else {
      w = cases.floats(m * k);
      stored = Data.bytes(w);
    }
    float[] biases = cases.floats(m);
    float[] factor = cases.floats(1);
    List<byte[]> inputs = new ArrayList<>(List.of(stored, in));
    if (bias) {
      inputs.add(Data.bytes(biases));
    }
    if (scale) {
      inputs.add(Data.bytes(factor));
    }
    cases.floats(
        "matmul " + weight.text() + " " + input.text() + " " + k + "x" + m,
        new MatmulKernel(Rows.STEP, count, weight, input, k, m, bias, scale),
        count,
        m,
        2e-6,
        i ->
            dot(x, i / m * k, w, i % m * k, k) * (scale ? factor[0] : 1)
                + (bias ? biases[i % m] : 0),
        inputs.toArray(byte[][]::new));
  }

  private static double dot(float[] x, int at, float[] w, int from, int k) {
    double sum = 0;
    for (int i = 0; i < k; i++) {
      sum += (double) x[at + i] * w[from + i];
    }
    return sum;
  }
}
