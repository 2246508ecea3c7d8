package dev.heddle.codegen.jvm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.heddle.ir.DType;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.PlanKey.Rows;
import dev.heddle.ir.plan.abi.JvmKernel;
import dev.heddle.ir.plan.abi.StepHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Appending to and attending over a paged cache: plain loops in f64 over what the cache holds, and
 * equal bits.
 */
class AttentionTest {
  private static final int HEADS = 4;
  private static final int KV_HEADS = 2;
  private static final int POOL_BLOCKS = 6;

  static Stream<DType> caches() {
    return Kinds.CACHES.stream();
  }

  /**
   * Two sequences of 70 and 33 positions in scattered blocks; the step has the last tokens of both.
   */
  private static StepHeader header() {
    var header = new StepHeader(4, 2, 96);
    header.tokens = 4;
    int[][] blocks = {{4, 1, 3}, {2, 0, 5}};
    header.blocks[0] = blocks[0];
    header.blocks[1] = blocks[1];
    int[] position = {68, 69, 32, 0};
    int[] slot = {0, 0, 1, 1};
    System.arraycopy(position, 0, header.position, 0, 4);
    System.arraycopy(slot, 0, header.slot, 0, 4);
    return header;
  }

  private static double cached(
      DType type, byte[] pool, StepHeader header, int slot, int position, int width, int at) {
    long row = header.blocks[slot][position / 32] * 32L + position % 32;
    return Blocks.value(type, pool, row * width + at);
  }

  @ParameterizedTest
  @MethodSource("caches")
  void attentionAgreesWithPlainLoopsAndItsBitsDependOnNothingElse(DType cache) {
    int d = cache == DType.Q8_0 ? 64 : 40;
    int dv = cache == DType.Q8_0 ? 32 : 24;
    var random = new SplittableRandom(31);
    byte[] k = Blocks.random(cache, POOL_BLOCKS * 32L * KV_HEADS * d, random);
    byte[] v = Blocks.random(cache, POOL_BLOCKS * 32L * KV_HEADS * dv, random);
    byte[] q = Blocks.random(DType.F32, 4L * HEADS * d, random);
    var header = header();
    float[] first = null;
    for (Rows rows : Rows.values()) {
      for (int bits : new int[] {128, 256, 512}) {
        var kernel =
            Kernels.load(
                new KernelKind.AttentionKernel(rows, cache, cache, HEADS, KV_HEADS, d, dv, 0.3),
                bits);
        for (int parts = 1; parts <= 4; parts++) {
          float[] y = attend(kernel, header, parts, q, k, v, dv);
          if (first == null) {
            first = y;
            check(cache, d, dv, header, q, k, v, y);
          }
          assertArrayEquals(first, y, rows + " at " + bits + " bits in " + parts + " parts");
        }
        var alone = header();
        alone.tokens = 1;
        alone.position[0] = header.position[2];
        alone.slot[0] = header.slot[2];
        float[] one =
            attend(
                kernel, alone, 1, Arrays.copyOfRange(q, 8 * HEADS * d, 12 * HEADS * d), k, v, dv);
        assertArrayEquals(Arrays.copyOfRange(first, 2 * HEADS * dv, 3 * HEADS * dv), one);
      }
    }
  }

  private static float[] attend(
      JvmKernel kernel, StepHeader header, int parts, byte[] q, byte[] k, byte[] v, int dv) {
    try (var bench = new Bench()) {
      MemorySegment y = bench.bytes(4L * header.tokens * HEADS * dv);
      bench.launch(kernel, header, parts, y, bench.of(q), bench.of(k), bench.of(v));
      return Bench.floats(y);
    }
  }

  private static void check(
      DType cache, int d, int dv, StepHeader header, byte[] q, byte[] k, byte[] v, float[] y) {
    for (int t = 0; t < header.tokens; t++) {
      for (int h = 0; h < HEADS; h++) {
        int kv = h / (HEADS / KV_HEADS);
        int n = header.position[t] + 1;
        var score = new double[n];
        double most = Double.NEGATIVE_INFINITY;
        for (int j = 0; j < n; j++) {
          for (int i = 0; i < d; i++) {
            score[j] +=
                0.3
                    * Blocks.value(DType.F32, q, (long) (t * HEADS + h) * d + i)
                    * cached(cache, k, header, header.slot[t], j, KV_HEADS * d, kv * d + i);
          }
          most = Math.max(most, score[j]);
        }
        double sum = 0;
        for (int j = 0; j < n; j++) {
          score[j] = Math.exp(score[j] - most);
          sum += score[j];
        }
        for (int i = 0; i < dv; i++) {
          double expected = 0;
          for (int j = 0; j < n; j++) {
            expected +=
                score[j]
                    / sum
                    * cached(cache, v, header, header.slot[t], j, KV_HEADS * dv, kv * dv + i);
          }
          assertEquals(expected, y[(t * HEADS + h) * dv + i], 3e-6, "token " + t + ", head " + h);
        }
      }
    }
  }

  @Test
  void maskedPositionsAreNotReadAndScoresOfMinusInfinityWeighNothing() {
    var header = new StepHeader(1, 1, 32);
    header.tokens = 1;
    header.position[0] = 2;
    float inf = Float.POSITIVE_INFINITY;
    var k = new float[32 * 16];
    var v = new float[32 * 16];
    Arrays.fill(k, 3 * 16, k.length, Float.NaN);
    Arrays.fill(v, 3 * 16, v.length, Float.NaN);
    Arrays.fill(v, 0, 16, 5f);
    Arrays.fill(v, 16, 48, 2f);
    k[0] = -inf;
    var q = new float[16];
    q[0] = 1;
    var kernel =
        Kernels.load(
            new KernelKind.AttentionKernel(Rows.STEP, DType.F32, DType.F32, 1, 1, 16, 16, 1), 256);
    try (var bench = new Bench()) {
      var y = bench.bytes(64);
      bench.launch(kernel, header, 1, y, bench.of(q), bench.of(k), bench.of(v));
      assertEquals(2f, Bench.floats(y)[0]);
      k[16] = -inf;
      k[32] = -inf;
      bench.launch(kernel, header, 1, y, bench.of(q), bench.of(k), bench.of(v));
      assertEquals(0f, Bench.floats(y)[0]);
      k[32] = Float.NaN;
      bench.launch(kernel, header, 1, y, bench.of(q), bench.of(k), bench.of(v));
      assertEquals(Float.NaN, Bench.floats(y)[0]);
    }
  }

  @Test
  void appendedRowsAreRoundedToTheTypeOfTheCache() {
    int width = 64;
    var random = new SplittableRandom(37);
    var x = new float[4 * width];
    for (int i = 0; i < x.length; i++) {
      x[i] = (float) random.nextDouble(-3, 3);
    }
    x[0] = 1 + 1f / 4096;
    x[1] = 1e6f;
    x[2] = -1e-7f;
    var header = header();
    var kinds = new ArrayList<KernelKind>();
    Kinds.CACHES.forEach(type -> kinds.add(new KernelKind.KvAppendKernel(type, 2, 32)));
    for (int bits : new int[] {128, 256, 512}) {
      var kernels = Kernels.load(kinds, bits);
      for (int i = 0; i < kinds.size(); i++) {
        DType type = Kinds.CACHES.get(i);
        for (int parts : List.of(1, 3)) {
          try (var bench = new Bench()) {
            var pool = bench.bytes(type.bytes(POOL_BLOCKS * 32L * width));
            bench.launch(kernels.get(i), header, parts, pool, bench.of(x));
            checkAppended(type, pool.toArray(ValueLayout.JAVA_BYTE), header, x, width);
          }
        }
      }
    }
  }

  private static void checkAppended(
      DType type, byte[] pool, StepHeader header, float[] x, int width) {
    for (int t = 0; t < header.tokens; t++) {
      for (int b = 0; b < width / 32; b++) {
        float most = 0;
        for (int i = 0; i < 32; i++) {
          most = Math.max(most, Math.abs(x[t * width + b * 32 + i]));
        }
        float d = most / 127;
        for (int i = 0; i < 32; i++) {
          float value = x[t * width + b * 32 + i];
          double expected =
              switch (type) {
                case F16 -> Float.float16ToFloat(Float.floatToFloat16(value));
                case BF16 ->
                    Float.intBitsToFloat(
                        Float.floatToRawIntBits(value)
                                + 0x7fff
                                + (Float.floatToRawIntBits(value) >>> 16 & 1)
                            & 0xffff0000);
                case Q8_0 ->
                    (double) Float.float16ToFloat(Float.floatToFloat16(d))
                            * Math.signum(value)
                            * Math.floor(Math.abs(value * (1f / d)) + 0.5)
                        + 0.0;
                default -> value;
              };
          assertEquals(
              expected,
              cached(type, pool, header, header.slot[t], header.position[t], width, b * 32 + i),
              type.text());
        }
      }
    }
    long untouched = 9L * width;
    assertEquals((byte) 0xcb, pool[(int) type.bytes(untouched)], type.text());
  }
}
