package dev.heddle.codegen.jvm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.heddle.ir.Op;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.KernelKind.Binary;
import dev.heddle.ir.plan.KernelKind.BinaryKernel;
import dev.heddle.ir.plan.KernelKind.Broadcast;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.KernelKind.Unary;
import dev.heddle.ir.plan.KernelKind.UnaryKernel;
import dev.heddle.ir.plan.abi.JvmKernel;
import dev.heddle.ir.plan.abi.StepHeader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * The fused router against the kernels that it replaces: the same bits, with ties, NaN and
 * infinities among the logits.
 */
class RouterTest {
  private static final int TOKENS = 24;
  private static final Count T = Count.TOKENS;

  private static byte[] logits(int n, long seed) {
    var random = new SplittableRandom(seed);
    float[] odd = {
      Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 1f, 1f, 0f, -0f, 90f, -100f
    };
    var values = new float[TOKENS * n];
    for (int i = 0; i < values.length; i++) {
      int row = i / n;
      values[i] = (float) random.nextDouble(-4, 4);
      if (row % 3 == 1) {
        values[i] = Math.round(values[i]); // ties
      } else if (row % 3 == 2 && random.nextInt(6) == 0) {
        values[i] = odd[random.nextInt(odd.length)];
      }
      if (row == 3 || row == 4) {
        values[i] = row == 3 ? 0.25f : Float.NEGATIVE_INFINITY;
      }
    }
    return MemorySegment.ofArray(values).toArray(JAVA_BYTE);
  }

  private static List<KernelKind> unfused(KernelKind.RouterKernel k) {
    var kinds = new ArrayList<KernelKind>();
    switch (k.score()) {
      case SOFTMAX -> kinds.add(new KernelKind.SoftmaxKernel(T, 1, k.n()));
      case SIGMOID -> kinds.add(new UnaryKernel(T, k.n(), Unary.SIGMOID, 0, 0));
      case SQRT_SOFTPLUS -> {
        kinds.add(new UnaryKernel(T, k.n(), Unary.SOFTPLUS, 0, 0));
        kinds.add(new UnaryKernel(T, k.n(), Unary.SQRT, 0, 0));
      }
      case IDENTITY -> {}
    }
    kinds.add(new BinaryKernel(T, 1, k.n(), Binary.ADD, Broadcast.OUTER));
    kinds.add(new KernelKind.TopKKernel(k.n(), k.k()));
    kinds.add(new KernelKind.GatherKernel(k.n(), k.k()));
    kinds.add(new KernelKind.ReduceKernel(T, 1, k.k(), KernelKind.Reduce.SUM));
    kinds.add(new UnaryKernel(T, 1, Unary.CLAMP, k.floor(), Double.POSITIVE_INFINITY));
    kinds.add(new BinaryKernel(T, 1, k.k(), Binary.DIV, Broadcast.INNER));
    kinds.add(new UnaryKernel(T, k.k(), Unary.SCALE, k.scale(), 0));
    kinds.add(k);
    return kinds;
  }

  private static void compare(KernelKind.RouterKernel k, int bits, List<JvmKernel> kernels) {
    var header = new StepHeader(TOKENS, 1, 1);
    header.tokens = TOKENS;
    try (var bench = new Bench()) {
      var x = bench.of(logits(k.n(), k.n()));
      var bias = bench.of(logits(k.n(), 7));
      MemorySegment scores = x;
      int next = 0;
      for (; next < scoreKernels(k); next++) {
        var y = bench.bytes(4 * TOKENS * k.n());
        bench.launch(kernels.get(next), header, 2, y, scores);
        scores = y;
      }
      int at = scoreKernels(k);
      var choosing = bench.bytes(4 * TOKENS * k.n());
      bench.launch(kernels.get(at), header, 2, choosing, scores, bias);
      var ids = bench.bytes(4 * TOKENS * k.k());
      bench.launch(kernels.get(at + 1), header, 2, ids, k.bias() ? choosing : scores);
      var weights = bench.bytes(4 * TOKENS * k.k());
      bench.launch(kernels.get(at + 2), header, 2, weights, scores, ids);
      if (k.floor() > 0) {
        var sum = bench.bytes(4 * TOKENS);
        bench.launch(kernels.get(at + 3), header, 2, sum, weights);
        var clamped = bench.bytes(4 * TOKENS);
        bench.launch(kernels.get(at + 4), header, 2, clamped, sum);
        var divided = bench.bytes(4 * TOKENS * k.k());
        bench.launch(kernels.get(at + 5), header, 2, divided, weights, clamped);
        weights = divided;
      }
      if (k.scale() != 1) {
        var scaled = bench.bytes(4 * TOKENS * k.k());
        bench.launch(kernels.get(at + 6), header, 2, scaled, weights);
        weights = scaled;
      }
      for (int parts = 1; parts <= 3; parts++) {
        var fusedIds = bench.bytes(4 * TOKENS * k.k());
        var fusedWeights = bench.bytes(4 * TOKENS * k.k());
        bench.launch(kernels.getLast(), header, parts, fusedIds, fusedWeights, x, bias);
        assertArrayEquals(
            ids.toArray(JAVA_BYTE), fusedIds.toArray(JAVA_BYTE), k + ", ids at " + bits);
        assertArrayEquals(numbers(weights), numbers(fusedWeights), k + ", weights at " + bits);
      }
    }
  }

  /** Bits of numbers; all NaNs are one. */
  private static int[] numbers(MemorySegment values) {
    float[] floats = values.toArray(java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED);
    var bits = new int[floats.length];
    for (int i = 0; i < bits.length; i++) {
      bits[i] = Float.floatToIntBits(floats[i]);
    }
    return bits;
  }

  private static int scoreKernels(KernelKind.RouterKernel k) {
    return switch (k.score()) {
      case SOFTMAX, SIGMOID -> 1;
      case SQRT_SOFTPLUS -> 2;
      case IDENTITY -> 0;
    };
  }

  @Test
  void aFusedRouterGivesTheBitsOfTheKernelsThatItReplaces() {
    var cases = new ArrayList<KernelKind.RouterKernel>();
    for (var score : Op.Score.values()) {
      cases.add(new KernelKind.RouterKernel(score, 40, 8, 0x1p-14, 1, false));
      cases.add(new KernelKind.RouterKernel(score, 130, 6, 0, 2.5, true));
      cases.add(new KernelKind.RouterKernel(score, 1024, 10, 0x1p-14, 2.5, true));
    }
    for (int bits : new int[] {128, 256, 512}) {
      var all = new ArrayList<KernelKind>();
      cases.forEach(k -> all.addAll(unfused(k)));
      var kernels = Kernels.load(all.stream().distinct().toList(), bits);
      var order = all.stream().distinct().toList();
      for (var k : cases) {
        compare(k, bits, unfused(k).stream().map(u -> kernels.get(order.indexOf(u))).toList());
      }
    }
  }
}
