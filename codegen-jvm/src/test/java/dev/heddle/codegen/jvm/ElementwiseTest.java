package dev.heddle.codegen.jvm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.heddle.ir.DType;
import dev.heddle.ir.Op;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.KernelKind.Binary;
import dev.heddle.ir.plan.KernelKind.Broadcast;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.KernelKind.Unary;
import dev.heddle.ir.plan.abi.StepHeader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Kernels other than products and attention: plain loops in f64, and the same bits at every width
 * and for any number of parts.
 */
class ElementwiseTest {
  private static final float NAN = Float.NaN;
  private static final float INF = Float.POSITIVE_INFINITY;

  /**
   * Result of one kind with the first width and one part, after all other widths and parts gave the
   * same bits.
   */
  private static byte[] run(KernelKind kind, StepHeader header, int bytes, byte[]... args) {
    return run(List.of(kind), header, bytes, args).getFirst();
  }

  private static List<byte[]> run(
      List<KernelKind> kinds, StepHeader header, int bytes, byte[]... args) {
    var results = new ArrayList<byte[]>();
    for (int bits : new int[] {128, 256, 512}) {
      var kernels = Kernels.load(kinds, bits);
      for (int i = 0; i < kinds.size(); i++) {
        for (int parts = 1; parts <= 4; parts += bits == 256 ? 1 : 3) {
          try (var bench = new Bench()) {
            var out = bench.bytes(bytes);
            var all = new MemorySegment[args.length + 1];
            all[0] = out;
            for (int a = 0; a < args.length; a++) {
              all[a + 1] = bench.of(args[a]);
            }
            bench.launch(kernels.get(i), header, parts, all);
            byte[] result = out.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
            if (results.size() == i) {
              results.add(result);
            }
            assertArrayEquals(
                results.get(i),
                result,
                kinds.get(i) + " at " + bits + " bits, " + parts + " parts");
          }
        }
      }
    }
    return results;
  }

  private static byte[] bytes(float... values) {
    return MemorySegment.ofArray(values).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
  }

  private static byte[] bytes(int... values) {
    return MemorySegment.ofArray(values).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
  }

  private static float[] floats(byte[] values) {
    var result = new float[values.length / 4];
    MemorySegment.copy(
        MemorySegment.ofArray(values),
        java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED,
        0,
        result,
        0,
        result.length);
    return result;
  }

  private static int[] ints(byte[] values) {
    var result = new int[values.length / 4];
    MemorySegment.copy(
        MemorySegment.ofArray(values),
        java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED,
        0,
        result,
        0,
        result.length);
    return result;
  }

  private static float[] random(long seed, int n, double bound) {
    var random = new SplittableRandom(seed);
    var values = new float[n];
    for (int i = 0; i < n; i++) {
      values[i] = (float) random.nextDouble(-bound, bound);
    }
    return values;
  }

  @Test
  void unaryFunctionsAreWithinThreeUnitsOfTheirDefinition() {
    int n = 1029;
    float[] x = random(1, 5 * n, 100);
    for (int i = 0; i < 1000; i++) {
      x[i] = x[i] / 30;
    }
    var kinds = new ArrayList<KernelKind>();
    for (var function : Unary.values()) {
      kinds.add(
          new KernelKind.UnaryKernel(
              Count.TOKENS, n, function, function == Unary.CLAMP ? -5 : 3, 7));
    }
    var results = run(kinds, Bench.header(5), 20 * n, bytes(x));
    for (int f = 0; f < kinds.size(); f++) {
      var function = Unary.values()[f];
      float[] y = floats(results.get(f));
      for (int i = 0; i < x.length; i++) {
        double expected = reference(function).applyAsDouble(x[i]);
        if (function == Unary.SQRT && x[i] < 0) {
          assertEquals(NAN, y[i]);
        } else {
          double rounded = (float) expected;
          // exp gives zero below 2^-126, and x / (1 + e^-x) follows it; 1 + tanh and 1 + erf lose
          // their last digits near zero
          double tail = function == Unary.GELU_ERF || function == Unary.GELU_TANH ? 1e-12 : 1.2e-36;
          double bound = Math.max(3 * (double) Math.ulp((float) expected), tail);
          assertEquals(
              rounded, y[i], Double.isInfinite(rounded) ? 0 : bound, function + "(" + x[i] + ")");
        }
      }
    }
  }

  private static DoubleUnaryOperator reference(Unary function) {
    return switch (function) {
      case SCALE -> x -> 3 * x;
      case CLAMP -> x -> Math.min(7, Math.max(-5, x));
      case NEG -> x -> -x;
      case ABS -> Math::abs;
      case EXP -> Math::exp;
      case SQRT -> Math::sqrt;
      case TANH -> Math::tanh;
      case RELU -> x -> Math.max(0, x);
      case SIGMOID -> x -> 1 / (1 + Math.exp(-x));
      case SILU -> x -> x / (1 + Math.exp(-x));
      case GELU_TANH ->
          x -> 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));
      case GELU_ERF -> x -> 0.5 * x * (1 + erf(x / Math.sqrt(2)));
      case SOFTPLUS -> x -> x > 20 ? x : Math.log1p(Math.exp(x));
      case SOFTCAP -> x -> 3 * Math.tanh(x / 3);
    };
  }

  /** By Simpson's rule. */
  private static double erf(double x) {
    int n = 2000;
    double z = Math.min(Math.abs(x), 7);
    double sum = 1 + Math.exp(-z * z);
    for (int i = 1; i < n; i++) {
      sum += (i % 2 == 1 ? 4 : 2) * Math.exp(-(z * i / n) * (z * i / n));
    }
    return Math.signum(x) * 2 / Math.sqrt(Math.PI) * sum * z / n / 3;
  }

  @Test
  void edgesOfExpSigmoidAndSiluAreExact() {
    float[] x = {0f, -0f, INF, -INF, NAN, 1000f, -1000f, 88.8f, -87.4f};
    var exp =
        floats(
            run(
                new KernelKind.UnaryKernel(Count.TOKENS, 9, Unary.EXP, 0, 0),
                Bench.header(1),
                36,
                bytes(x)));
    assertArrayEquals(new float[] {1, 1, INF, 0, NAN, INF, 0, INF, 0}, exp);
    var sigmoid =
        floats(
            run(
                new KernelKind.UnaryKernel(Count.TOKENS, 9, Unary.SIGMOID, 0, 0),
                Bench.header(1),
                36,
                bytes(x)));
    assertArrayEquals(new float[] {0.5f, 0.5f, 1, 0, NAN, 1, 0, 1, 1.1032187e-38f}, sigmoid);
  }

  @Test
  void binaryFunctionsReadTheirSecondOperandByBroadcast() {
    int outer = 3;
    int inner = 37;
    int tokens = 4;
    float[] x = random(2, tokens * outer * inner, 4);
    float[] z = random(3, tokens * outer * inner, 4);
    for (var broadcast : Broadcast.values()) {
      var kinds = new ArrayList<KernelKind>();
      for (var function : Binary.values()) {
        kinds.add(new KernelKind.BinaryKernel(Count.TOKENS, outer, inner, function, broadcast));
      }
      var results = run(kinds, Bench.header(tokens), 4 * x.length, bytes(x), bytes(z));
      for (int f = 0; f < kinds.size(); f++) {
        var expected = new float[x.length];
        for (int i = 0; i < x.length; i++) {
          float other =
              switch (broadcast) {
                case NONE -> z[i];
                case INNER -> z[i / inner];
                case OUTER -> z[i % inner];
                case SCALAR -> z[0];
              };
          expected[i] =
              switch (Binary.values()[f]) {
                case ADD -> x[i] + other;
                case SUB -> x[i] - other;
                case MUL -> x[i] * other;
                case DIV -> x[i] / other;
              };
        }
        assertArrayEquals(expected, floats(results.get(f)), kinds.get(f).toString());
      }
    }
  }

  @Test
  void glusMultiplyTheActivatedGate() {
    int m = 43;
    float[] gate = random(4, 3 * 2 * m, 8);
    float[] up = random(5, 3 * 2 * m, 8);
    var acts = List.of(Unary.SILU, Unary.GELU_TANH, Unary.GELU_ERF, Unary.RELU);
    var kinds =
        Arrays.stream(Op.Act.values())
            .map(act -> (KernelKind) new KernelKind.GluKernel(Count.TOKENS, 2, m, act))
            .toList();
    var results = run(kinds, Bench.header(3), 4 * gate.length, bytes(gate), bytes(up));
    for (int f = 0; f < acts.size(); f++) {
      float[] y = floats(results.get(f));
      for (int i = 0; i < y.length; i++) {
        double expected = reference(acts.get(f)).applyAsDouble(gate[i]) * up[i];
        assertEquals(expected, y[i], 1e-6 * Math.abs(expected) + 1e-12);
      }
    }
  }

  @Test
  void normsDivideByTheRootOfTheMeanOrTheSumOfSquares() {
    int n = 100;
    float[] x = random(6, 3 * 2 * n, 3);
    float[] w = random(7, n, 2);
    Arrays.fill(x, n, 2 * n, 0f);
    var rms =
        floats(
            run(
                new KernelKind.RmsNormKernel(Count.TOKENS, 2, n, 1e-5, true),
                Bench.header(3),
                4 * x.length,
                bytes(x),
                bytes(w)));
    var plain =
        floats(
            run(
                new KernelKind.RmsNormKernel(Count.OUT_ROWS, 2, n, 1e-5, false),
                Bench.header(3),
                4 * x.length,
                bytes(x)));
    var l2 =
        floats(
            run(
                new KernelKind.L2NormKernel(Count.TOKENS, 2, n, 1e-5),
                Bench.header(3),
                4 * x.length,
                bytes(x)));
    for (int r = 0; r < 6; r++) {
      double squares = 0;
      for (int i = 0; i < n; i++) {
        squares += (double) x[r * n + i] * x[r * n + i];
      }
      for (int i = 0; i < n; i++) {
        double expected = x[r * n + i] / Math.sqrt(squares / n + 1e-5);
        assertEquals(expected * w[i], rms[r * n + i], 1e-6 * Math.abs(expected * w[i]));
        assertEquals(expected, plain[r * n + i], 1e-6 * Math.abs(expected));
        assertEquals(x[r * n + i] / Math.sqrt(squares + 1e-5), l2[r * n + i], 1e-6);
      }
    }
  }

  @Test
  void quantisedRowsRoundHalfAwayFromZeroAndKeepTheirSums() {
    float[] x = random(8, 96, 5);
    Arrays.fill(x, 32, 64, 0f);
    x[64] = 127f;
    x[65] = 2.5f;
    x[66] = -2.5f;
    x[67] = 0.49999997f;
    for (int i = 68; i < 96; i++) {
      x[i] = 0;
    }
    byte[] q =
        run(new KernelKind.QuantiseKernel(Count.TOKENS, 1, 96), Bench.header(1), 120, bytes(x));
    assertArrayEquals(new byte[] {127, 3, -3, 0}, Arrays.copyOfRange(q, 80, 84));
    assertEquals(1f, floats(q)[28]);
    assertEquals(127f, floats(q)[29]);
    assertEquals(0f, floats(q)[18]);
    float[] back =
        floats(run(new KernelKind.DequantiseKernel(Count.TOKENS, 1, 96), Bench.header(1), 384, q));
    float d = floats(q)[8];
    for (int i = 0; i < 32; i++) {
      assertEquals(x[i], back[i], d / 2 * 1.0001f);
    }
  }

  @Test
  void ropeRotatesPairsByTheTable() {
    int heads = 2;
    int d = 10;
    int dims = 6;
    float[] x = random(9, 3 * heads * d, 1);
    float[] table = random(10, 8 * dims, 1);
    var header = Bench.header(3);
    header.position[1] = 7;
    for (var kind : Op.RopeKind.values()) {
      float[] y =
          floats(
              run(
                  new KernelKind.RopeKernel(kind, heads, d, dims),
                  header,
                  4 * x.length,
                  bytes(x),
                  bytes(table)));
      float[] expected = x.clone();
      for (int row = 0; row < 3 * heads; row++) {
        for (int i = 0; i < dims / 2; i++) {
          int a = row * d + (kind == Op.RopeKind.NORM ? 2 * i : i);
          int b = kind == Op.RopeKind.NORM ? a + 1 : a + dims / 2;
          float cos = table[header.position[row / heads] * dims + 2 * i];
          float sin = table[header.position[row / heads] * dims + 2 * i + 1];
          expected[a] = x[a] * cos - x[b] * sin;
          expected[b] = x[a] * sin + x[b] * cos;
        }
      }
      assertArrayEquals(expected, y, kind.name());
    }
  }

  @Test
  void softmaxGivesZerosForMaskedRowsAndShowsNan() {
    float[] x = {1, 2, 3, -INF, -INF, -INF, -INF, -INF, 1, NAN, 2, 3, INF, 0, 0, 0};
    float[] y =
        floats(
            run(new KernelKind.SoftmaxKernel(Count.TOKENS, 1, 4), Bench.header(4), 64, bytes(x)));
    assertArrayEquals(
        new float[] {0.09003057f, 0.24472848f, 0.66524094f, 0f, 0f, 0f, 0f, 0f},
        Arrays.copyOf(y, 8),
        1e-7f);
    assertArrayEquals(
        new float[] {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN}, Arrays.copyOfRange(y, 8, 16));
    float[] longRow = random(11, 300, 5);
    float[] weights =
        floats(
            run(
                new KernelKind.SoftmaxKernel(Count.TOKENS, 2, 150),
                Bench.header(1),
                1200,
                bytes(longRow)));
    for (int r = 0; r < 2; r++) {
      double sum = 0;
      for (int i = 0; i < 150; i++) {
        sum += Math.exp(longRow[r * 150 + i]);
      }
      for (int i = 0; i < 150; i++) {
        assertEquals(Math.exp(longRow[r * 150 + i]) / sum, weights[r * 150 + i], 1e-8);
      }
    }
  }

  @Test
  void reductionsTakeSumMaximumAndMeanOfRows() {
    for (int n : new int[] {5, 90}) {
      float[] x = random(12, 4 * n, 3);
      x[1] = NAN;
      float[] max =
          floats(
              run(
                  new KernelKind.ReduceKernel(Count.TOKENS, 2, n, KernelKind.Reduce.MAX),
                  Bench.header(2),
                  16,
                  bytes(x)));
      x[1] = 0;
      float[] sum =
          floats(
              run(
                  new KernelKind.ReduceKernel(Count.TOKENS, 2, n, KernelKind.Reduce.SUM),
                  Bench.header(2),
                  16,
                  bytes(x)));
      float[] mean =
          floats(
              run(
                  new KernelKind.ReduceKernel(Count.TOKENS, 2, n, KernelKind.Reduce.MEAN),
                  Bench.header(2),
                  16,
                  bytes(x)));
      for (int r = 0; r < 4; r++) {
        double total = 0;
        float most = -INF;
        for (int i = 0; i < n; i++) {
          total += x[r * n + i];
          most = r == 0 && i == 1 ? most : Math.max(most, x[r * n + i]);
        }
        assertEquals(total, sum[r], 1e-4);
        assertEquals(total / n, mean[r], 1e-5);
        assertEquals(most, max[r]);
      }
    }
  }

  @Test
  void topKOrdersByValueThenIndexAndNanNeverWins() {
    float[] x = {
      1, 3, 3, 2, 0, -1, -INF, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, -INF, NAN, -INF, -INF,
      -INF, 5, NAN, -INF, -0f, 0f, -1, -2, -3, NAN, -0f, 0.5f
    };
    int[] ids = ints(run(new KernelKind.TopKKernel(8, 4), Bench.header(4), 64, bytes(x)));
    assertArrayEquals(new int[] {1, 2, 3, 0, 0, 1, 2, 3, 5, 0, 2, 3, 7, 0, 1, 6}, ids);
    int[] none =
        ints(
            run(
                new KernelKind.TopKKernel(8, 3),
                Bench.header(1),
                12,
                bytes(NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN)));
    assertArrayEquals(new int[] {0, 1, 2}, none);
    int[] every =
        ints(run(new KernelKind.TopKKernel(3, 3), Bench.header(1), 12, bytes(NAN, -INF, 1)));
    assertArrayEquals(new int[] {2, 1, 0}, every);
  }

  @Test
  void argmaxIsTheLowestIndexAmongEquals() {
    int n = 41;
    float[] x = random(13, 4 * n, 3);
    x[17] = 9;
    x[33] = 9;
    Arrays.fill(x, n, 2 * n, NAN);
    Arrays.fill(x, 2 * n, 3 * n, -INF);
    x[2 * n] = NAN;
    x[4 * n - 1] = 11;
    x[3 * n] = NAN;
    assertArrayEquals(
        new int[] {17, 0, 1, 40},
        ints(run(new KernelKind.ArgmaxKernel(n), Bench.header(4), 16, bytes(x))));
  }

  @Test
  void combineAddsInRankOrderThenSharedThenResidual() {
    int n = 21;
    float[] y = random(14, 2 * 3 * n, 2);
    float[] w = random(15, 6, 1);
    float[] shared = random(16, 2 * n, 2);
    float[] gate = random(17, 2, 1);
    float[] residual = random(18, 2 * n, 2);
    float[] all =
        floats(
            run(
                new KernelKind.CombineKernel(3, n, true, true, true),
                Bench.header(2),
                8 * n,
                bytes(y),
                bytes(w),
                bytes(shared),
                bytes(gate),
                bytes(residual)));
    float[] bare =
        floats(
            run(
                new KernelKind.CombineKernel(3, n, false, false, false),
                Bench.header(2),
                8 * n,
                bytes(y),
                bytes(w)));
    float[] some =
        floats(
            run(
                new KernelKind.CombineKernel(3, n, true, false, true),
                Bench.header(2),
                8 * n,
                bytes(y),
                bytes(w),
                bytes(shared),
                bytes(residual)));
    for (int i = 0; i < 2 * n; i++) {
      int t = i / n;
      float sum = w[3 * t] * y[3 * t * n + i % n];
      sum += w[3 * t + 1] * y[(3 * t + 1) * n + i % n];
      sum += w[3 * t + 2] * y[(3 * t + 2) * n + i % n];
      assertEquals(sum, bare[i]);
      assertEquals(residual[i] + (gate[t] * shared[i] + sum), all[i]);
      assertEquals(residual[i] + (shared[i] + sum), some[i]);
    }
  }

  @Test
  void rowsAreTakenGatheredSlicedAndJoined() {
    float[] x = random(19, 60, 1);
    var header = Bench.header(5);
    header.outRows = 2;
    header.outRow[0] = 4;
    header.outRow[1] = 1;
    float[] rows = floats(run(new KernelKind.TakeRowsKernel(12), header, 96, bytes(x)));
    assertArrayEquals(Arrays.copyOfRange(x, 48, 60), Arrays.copyOf(rows, 12));
    assertArrayEquals(Arrays.copyOfRange(x, 12, 24), Arrays.copyOfRange(rows, 12, 24));
    float[] gathered =
        floats(
            run(
                new KernelKind.GatherKernel(30, 2),
                Bench.header(2),
                16,
                bytes(x),
                bytes(29, 0, 5, 5)));
    assertArrayEquals(new float[] {x[29], x[0], x[35], x[35]}, gathered);
    float[] slice =
        floats(
            run(
                new KernelKind.SliceKernel(Count.TOKENS, 2, 6, 2, 3),
                Bench.header(5),
                120,
                bytes(x)));
    assertArrayEquals(new float[] {x[2], x[3], x[4], x[8], x[9], x[10]}, Arrays.copyOf(slice, 6));
    float[] joined =
        floats(
            run(
                new KernelKind.ConcatKernel(Count.TOKENS, 2, 1),
                Bench.header(3),
                36,
                bytes(x),
                bytes(7, 8, 9)));
    assertArrayEquals(
        new float[] {x[0], x[1], Float.intBitsToFloat(7), x[2], x[3], Float.intBitsToFloat(8)},
        Arrays.copyOf(joined, 6));
  }

  @Test
  void embeddingsAreScaledRowsOfEveryWeightType() {
    var random = new SplittableRandom(20);
    var header = Bench.header(3);
    header.id[0] = 4;
    header.id[1] = 0;
    header.id[2] = 2;
    for (DType type : Kinds.WEIGHTS) {
      int n = type.blockSize() == 256 ? 512 : type.blockSize() == 32 ? 96 : 35;
      byte[] w = Blocks.random(type, 5L * n, random);
      float[] y = floats(run(new KernelKind.EmbedKernel(type, n, 5, 3.0), header, 12 * n, w));
      for (int t = 0; t < 3; t++) {
        for (int i = 0; i < n; i++) {
          double expected = 3 * Blocks.value(type, w, (long) header.id[t] * n + i);
          // K quants subtract a minimum from a product: two roundings of terms as large as 63 *
          // 0.02
          assertEquals(
              expected,
              y[t * n + i],
              1e-6 * Math.abs(expected) + (type.blockSize() == 256 ? 1e-5 : 0),
              type.text());
        }
      }
    }
  }
}
