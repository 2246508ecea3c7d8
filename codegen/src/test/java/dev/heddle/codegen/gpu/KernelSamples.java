package dev.heddle.codegen.gpu;

import dev.heddle.ir.DType;
import dev.heddle.ir.Op;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.KernelKind.AttentionKernel;
import dev.heddle.ir.plan.KernelKind.Binary;
import dev.heddle.ir.plan.KernelKind.BinaryKernel;
import dev.heddle.ir.plan.KernelKind.Broadcast;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.KernelKind.MatmulKernel;
import dev.heddle.ir.plan.KernelKind.Unary;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.PlanKey.Rows;
import java.util.ArrayList;
import java.util.List;

/** Kinds of true sizes, for tests that compile them for GPUs. */
public final class KernelSamples {
  /** The key of GPU bundles. */
  public static final PlanKey ONE_TOKEN = new PlanKey(Rows.STEP, 1, 1);

  private KernelSamples() {}

  /**
   * What a decode step of an 8-billion-parameter qwen3 launches, on the exact and on the int8 path,
   * and every other kind once.
   */
  public static List<KernelKind> all() {
    List<KernelKind> kinds = new ArrayList<>();
    products(kinds);
    attention(kinds);
    kinds.add(new KernelKind.EmbedKernel(DType.Q8_0, 4096, 151936, 1));
    kinds.add(new KernelKind.EmbedKernel(DType.F32, 64, 512, 8));
    kinds.add(new KernelKind.TakeRowsKernel(4096));
    kinds.add(new KernelKind.RmsNormKernel(Count.TOKENS, 1, 4096, 1e-6, true));
    kinds.add(new KernelKind.RmsNormKernel(Count.TOKENS, 32, 128, 1e-6, true));
    kinds.add(new KernelKind.RmsNormKernel(Count.OUT_ROWS, 1, 25600, 1e-6, false));
    kinds.add(new KernelKind.L2NormKernel(Count.TOKENS, 16, 128, 1e-6));
    kinds.add(new KernelKind.QuantiseKernel(Count.TOKENS, 1, 12288));
    kinds.add(new KernelKind.DequantiseKernel(Count.TOKENS, 1, 4096));
    kinds.add(new KernelKind.RopeKernel(Op.RopeKind.NORM, 32, 128, 128));
    kinds.add(new KernelKind.RopeKernel(Op.RopeKind.NEOX, 8, 128, 64));
    kinds.add(new KernelKind.KvAppendKernel(DType.F16, 8, 128));
    kinds.add(new KernelKind.KvAppendKernel(DType.F32, 8, 128));
    kinds.add(new KernelKind.SoftmaxKernel(Count.TOKENS, 1, 256));
    kinds.add(new KernelKind.TopKKernel(256, 8));
    kinds.add(new KernelKind.GatherKernel(256, 8));
    kinds.add(new KernelKind.CombineKernel(8, 2048, true, true, true));
    kinds.add(new KernelKind.ArgmaxKernel(151936));
    kinds.add(new KernelKind.SliceKernel(Count.TOKENS, 32, 256, 128, 128));
    kinds.add(new KernelKind.ConcatKernel(Count.TOKENS, 100, 28));
    for (KernelKind.Reduce function : KernelKind.Reduce.values()) {
      kinds.add(new KernelKind.ReduceKernel(Count.TOKENS, 1, 256, function));
    }
    for (Unary function : Unary.values()) {
      kinds.add(new KernelKind.UnaryKernel(Count.TOKENS, 4096, function, 0.5, 30));
    }
    for (Broadcast broadcast : Broadcast.values()) {
      kinds.add(new BinaryKernel(Count.TOKENS, 32, 128, Binary.ADD, broadcast));
    }
    for (Op.Act act : Op.Act.values()) {
      kinds.add(new KernelKind.GluKernel(Count.TOKENS, 1, 12288, act));
    }
    return kinds;
  }

  private static void products(List<KernelKind> kinds) {
    for (int[] size :
        new int[][] {
          {4096, 4096}, {4096, 1024}, {4096, 12288}, {12288, 4096}, {1024, 3072}, {64, 32}
        }) {
      kinds.add(
          new MatmulKernel(
              Rows.STEP, Count.TOKENS, DType.Q8_0, DType.Q8_1, size[0], size[1], false, false));
    }
    kinds.add(
        new MatmulKernel(
            Rows.STEP, Count.OUT_ROWS, DType.Q8_0, DType.Q8_1, 4096, 151936, false, false));
    kinds.add(
        new MatmulKernel(Rows.STEP, Count.TOKENS, DType.Q8_0, DType.F32, 4096, 12288, true, true));
    kinds.add(
        new MatmulKernel(Rows.STEP, Count.TOKENS, DType.F32, DType.F32, 4096, 4096, true, false));
    kinds.add(
        new MatmulKernel(Rows.STEP, Count.TOKENS, DType.F32, DType.F32, 33, 17, false, false));
  }

  private static void attention(List<KernelKind> kinds) {
    kinds.add(new AttentionKernel(Rows.STEP, DType.F16, DType.F16, 32, 8, 128, 128, 0.088));
    kinds.add(new AttentionKernel(Rows.STEP, DType.F32, DType.F32, 16, 8, 128, 128, 0.088));
    kinds.add(new AttentionKernel(Rows.STEP, DType.F16, DType.F16, 32, 8, 64, 64, 0.125));
    kinds.add(new AttentionKernel(Rows.STEP, DType.F16, DType.F16, 16, 2, 256, 256, 0.0625));
    kinds.add(new AttentionKernel(Rows.STEP, DType.F32, DType.F32, 4, 2, 16, 16, 0.25));
    kinds.add(new AttentionKernel(Rows.STEP, DType.F16, DType.F16, 8, 1, 96, 96, 0.1));
  }
}
