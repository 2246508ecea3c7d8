package dev.heddle.codegen.jvm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.DType;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.PlanKey.Rows;
import dev.heddle.ir.plan.abi.JvmKernel;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Dense and expert products of every weight type against plain loops in f64, and bit for bit
 * between widths, batches and parts.
 */
class ProductTest {
  private static final int[] WIDTHS = {128, 256, 512};
  private static final int M = 13;
  private static final int EXPERTS = 5;
  private static final int USED = 3;

  static Stream<DType> weights() {
    return Kinds.WEIGHTS.stream();
  }

  /** An odd number of blocks; for plain types rows that end within 16 lanes. */
  private static int depth(DType weight) {
    return weight.blockSize() == 256 ? 768 : weight.blockSize() == 32 ? 7 * 32 : 75;
  }

  private static List<DType> inputs(DType weight) {
    return weight.isQuantised() ? List.of(DType.F32, DType.Q8_1) : List.of(DType.F32);
  }

  @ParameterizedTest
  @MethodSource("weights")
  void denseProductsAgreeWithPlainLoopsAtEveryWidthBatchAndPart(DType weight) {
    int k = depth(weight);
    var kinds = new ArrayList<KernelKind>();
    for (DType input : inputs(weight)) {
      for (Rows rows : Rows.values()) {
        kinds.add(new KernelKind.MatmulKernel(rows, Count.TOKENS, weight, input, k, M, true, true));
      }
    }
    var random = new SplittableRandom(17 + weight.ordinal());
    byte[] w = Blocks.random(weight, (long) k * M, random);
    var bias = floats(random, M);
    var kernels = Arrays.stream(WIDTHS).mapToObj(bits -> Kernels.load(kinds, bits)).toList();
    for (int i = 0; i < kinds.size(); i++) {
      var kind = (KernelKind.MatmulKernel) kinds.get(i);
      int columns = 11;
      byte[] x = Blocks.random(kind.input(), (long) k * columns, random);
      float[] first = null;
      for (int width = 0; width < WIDTHS.length; width++) {
        var kernel = kernels.get(width).get(i);
        float[] whole = dense(kernel, columns, 1, w, x, bias);
        if (first == null) {
          first = whole;
          checkDense(kind, w, x, bias, columns, whole);
        }
        assertArrayEquals(first, whole, kind + " at " + WIDTHS[width] + " bits");
        int from = 0;
        for (int tokens : new int[] {1, 2, 3, 5}) {
          byte[] some =
              Arrays.copyOfRange(
                  x,
                  (int) kind.input().bytes((long) k * from),
                  (int) kind.input().bytes((long) k * (from + tokens)));
          float[] expected = Arrays.copyOfRange(whole, from * M, (from + tokens) * M);
          assertArrayEquals(
              expected,
              dense(kernel, tokens, 1 + tokens % 4, w, some, bias),
              kind + ", T = " + tokens);
          from += tokens;
        }
      }
    }
  }

  private static float[] dense(
      JvmKernel kernel, int tokens, int parts, byte[] w, byte[] x, float[] bias) {
    try (var bench = new Bench()) {
      var y = bench.bytes(4L * tokens * M);
      bench.launch(
          kernel,
          Bench.header(tokens),
          parts,
          y,
          bench.of(w),
          bench.of(x),
          bench.of(bias),
          bench.of(0.75f));
      return Bench.floats(y);
    }
  }

  private static void checkDense(
      KernelKind.MatmulKernel kind, byte[] w, byte[] x, float[] bias, int columns, float[] got) {
    for (int t = 0; t < columns; t++) {
      for (int r = 0; r < M; r++) {
        check(
            kind,
            w,
            (long) r * kind.k(),
            kind.weight(),
            x,
            (long) t * kind.k(),
            kind.input(),
            kind.k(),
            0.75,
            bias[r],
            got[t * M + r]);
      }
    }
  }

  private static void check(
      KernelKind kind,
      byte[] w,
      long wAt,
      DType weight,
      byte[] x,
      long xAt,
      DType input,
      int k,
      double scale,
      double bias,
      float got) {
    double sum = 0;
    double magnitude = 0;
    for (int i = 0; i < k; i++) {
      double product = Blocks.value(weight, w, wAt + i) * Blocks.value(input, x, xAt + i);
      sum += product;
      magnitude += Math.abs(product);
    }
    double expected = sum * scale + bias;
    double bound =
        1e-6
            * (magnitude * Math.abs(scale) * (weight == DType.Q4_K || weight == DType.Q5_K ? 4 : 1)
                + Math.abs(bias)
                + 1e-6);
    assertTrue(
        Math.abs(got - expected) <= bound,
        kind + ": expected " + expected + ", was " + got + ", bound " + bound);
  }

  @ParameterizedTest
  @MethodSource("weights")
  void expertProductsAgreeWithPlainLoopsAtEveryWidthBatchAndPart(DType weight) {
    int k = weight.blockSize() == 256 ? 256 : depth(weight);
    var kinds = new ArrayList<KernelKind>();
    for (DType input : inputs(weight)) {
      for (Rows rows : Rows.values()) {
        boolean perExpert = rows == Rows.STEP == (input == DType.F32);
        kinds.add(
            new KernelKind.ExpertMatmulKernel(
                rows, weight, input, k, M, EXPERTS, USED, perExpert, true, true));
      }
    }
    var random = new SplittableRandom(29 + weight.ordinal());
    byte[] w = Blocks.random(weight, (long) k * M * EXPERTS, random);
    var bias = floats(random, M * EXPERTS);
    var scale = floats(random, EXPERTS);
    var kernels = Arrays.stream(WIDTHS).mapToObj(bits -> Kernels.load(kinds, bits)).toList();
    int tokens = 6;
    int[] ids = random.ints(tokens * USED, 0, EXPERTS).toArray();
    ids[4] = -1;
    ids[7] = ids[8];
    for (int i = 0; i < kinds.size(); i++) {
      var kind = (KernelKind.ExpertMatmulKernel) kinds.get(i);
      int perToken = kind.perExpertInput() ? USED : 1;
      byte[] x = Blocks.random(kind.input(), (long) k * tokens * perToken, random);
      float[] first = null;
      for (int width = 0; width < WIDTHS.length; width++) {
        var kernel = kernels.get(width).get(i);
        float[] whole = expert(kernel, tokens, 1, w, x, ids, bias, scale);
        if (first == null) {
          first = whole;
          for (int pair = 0; pair < tokens * USED; pair++) {
            for (int r = 0; r < M; r++) {
              int e = ids[pair];
              float got = whole[pair * M + r];
              if (e < 0) {
                assertTrue(got == 0f, kind + ": an absent expert's row is " + got);
              } else {
                long xAt = (long) k * (kind.perExpertInput() ? pair : pair / USED);
                check(
                    kind,
                    w,
                    ((long) e * M + r) * k,
                    weight,
                    x,
                    xAt,
                    kind.input(),
                    k,
                    scale[e],
                    bias[e * M + r],
                    got);
              }
            }
          }
        }
        assertArrayEquals(first, whole, kind + " at " + WIDTHS[width] + " bits");
        for (int t = 0; t < 2; t++) {
          byte[] some =
              Arrays.copyOfRange(
                  x,
                  (int) kind.input().bytes((long) k * perToken * t),
                  (int) kind.input().bytes((long) k * perToken * (t + 1)));
          float[] one =
              expert(
                  kernel,
                  1,
                  2 + t,
                  w,
                  some,
                  Arrays.copyOfRange(ids, t * USED, (t + 1) * USED),
                  bias,
                  scale);
          assertArrayEquals(
              Arrays.copyOfRange(whole, t * USED * M, (t + 1) * USED * M),
              one,
              kind + " token " + t + " alone");
        }
      }
    }
  }

  private static float[] expert(
      JvmKernel kernel,
      int tokens,
      int parts,
      byte[] w,
      byte[] x,
      int[] ids,
      float[] bias,
      float[] scale) {
    try (var bench = new Bench()) {
      MemorySegment y = bench.bytes(4L * tokens * USED * M);
      bench.launch(
          kernel,
          Bench.header(tokens),
          parts,
          y,
          bench.of(w),
          bench.of(x),
          bench.of(ids),
          bench.of(bias),
          bench.of(scale));
      return Bench.floats(y);
    }
  }

  private static float[] floats(SplittableRandom random, int n) {
    var values = new float[n];
    for (int i = 0; i < n; i++) {
      values[i] = (float) random.nextDouble(-1, 1);
    }
    return values;
  }
}
