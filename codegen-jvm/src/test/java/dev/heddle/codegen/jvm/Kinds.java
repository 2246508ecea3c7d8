package dev.heddle.codegen.jvm;

import dev.heddle.ir.DType;
import dev.heddle.ir.Op;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.KernelKind.Broadcast;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.PlanKey.Rows;
import java.util.ArrayList;
import java.util.List;

/** Kernel kinds of the sizes of real models. */
final class Kinds {
  static final List<DType> WEIGHTS =
      List.of(
          DType.F32,
          DType.F16,
          DType.BF16,
          DType.Q8_0,
          DType.Q4_0,
          DType.Q4_K,
          DType.Q5_K,
          DType.Q6_K,
          DType.MXFP4);
  static final List<DType> CACHES = List.of(DType.F32, DType.F16, DType.BF16, DType.Q8_0);

  private Kinds() {}

  static List<KernelKind> products(int k, int m) {
    var kinds = new ArrayList<KernelKind>();
    for (DType weight : WEIGHTS) {
      for (Rows rows : Rows.values()) {
        for (DType input :
            weight.isQuantised() ? List.of(DType.F32, DType.Q8_1) : List.of(DType.F32)) {
          kinds.add(
              new KernelKind.MatmulKernel(rows, Count.TOKENS, weight, input, k, m, true, true));
          kinds.add(
              new KernelKind.ExpertMatmulKernel(
                  rows, weight, input, k, m, 128, 8, true, true, true));
          kinds.add(
              new KernelKind.ExpertMatmulKernel(
                  rows, weight, input, k, m, 128, 8, false, false, false));
        }
      }
      kinds.add(new KernelKind.EmbedKernel(weight, k, m, 2.0));
    }
    return kinds;
  }

  /** Every other kind, with every variant of it. */
  static List<KernelKind> others() {
    var kinds = new ArrayList<KernelKind>();
    var tokens = Count.TOKENS;
    kinds.add(new KernelKind.TakeRowsKernel(4096));
    kinds.add(new KernelKind.RmsNormKernel(tokens, 1, 4096, 1e-6, true));
    kinds.add(new KernelKind.RmsNormKernel(tokens, 32, 128, 1e-6, false));
    kinds.add(new KernelKind.L2NormKernel(tokens, 32, 128, 1e-6));
    kinds.add(new KernelKind.QuantiseKernel(tokens, 1, 4096));
    kinds.add(new KernelKind.DequantiseKernel(tokens, 1, 4096));
    for (var function : KernelKind.Unary.values()) {
      kinds.add(new KernelKind.UnaryKernel(tokens, 4096, function, 2, 3));
    }
    kinds.add(
        new KernelKind.UnaryKernel(
            tokens, 4096, KernelKind.Unary.CLAMP, 6.103515625e-5, Double.POSITIVE_INFINITY));
    for (var function : KernelKind.Binary.values()) {
      for (var broadcast : Broadcast.values()) {
        kinds.add(new KernelKind.BinaryKernel(tokens, 32, 128, function, broadcast));
      }
    }
    for (var act : Op.Act.values()) {
      kinds.add(new KernelKind.GluKernel(tokens, 8, 768, act));
    }
    for (var kind : Op.RopeKind.values()) {
      kinds.add(new KernelKind.RopeKernel(kind, 32, 128, 64));
    }
    for (var k : CACHES) {
      kinds.add(new KernelKind.KvAppendKernel(k, 8, 128));
      for (var v : CACHES) {
        for (var rows : Rows.values()) {
          kinds.add(new KernelKind.AttentionKernel(rows, k, v, 32, 8, 128, 128, 0.088));
        }
      }
    }
    kinds.add(
        new KernelKind.AttentionKernel(Rows.STEP, DType.F16, DType.F16, 16, 2, 256, 256, 0.0625));
    kinds.add(new KernelKind.SoftmaxKernel(tokens, 1, 128));
    kinds.add(new KernelKind.SoftmaxKernel(tokens, 1, 8));
    for (var function : KernelKind.Reduce.values()) {
      kinds.add(new KernelKind.ReduceKernel(tokens, 1, 8, function));
      kinds.add(new KernelKind.ReduceKernel(tokens, 1, 128, function));
    }
    kinds.add(new KernelKind.TopKKernel(128, 8));
    kinds.add(new KernelKind.GatherKernel(128, 8));
    for (var score : Op.Score.values()) {
      kinds.add(new KernelKind.RouterKernel(score, 128, 8, 0x1p-14, 2.5, true));
      kinds.add(new KernelKind.RouterKernel(score, 64, 6, 0, 1, false));
    }
    kinds.add(new KernelKind.CombineKernel(8, 2048, false, false, true));
    kinds.add(new KernelKind.CombineKernel(8, 2048, true, true, true));
    kinds.add(new KernelKind.CombineKernel(8, 2048, true, false, false));
    kinds.add(new KernelKind.ArgmaxKernel(151936));
    kinds.add(new KernelKind.SliceKernel(tokens, 32, 256, 128, 128));
    kinds.add(new KernelKind.ConcatKernel(tokens, 96, 160));
    return kinds;
  }
}
