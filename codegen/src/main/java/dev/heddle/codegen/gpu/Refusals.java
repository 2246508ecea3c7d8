package dev.heddle.codegen.gpu;

import dev.heddle.ir.DType;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.PlanKey.Rows;
import java.util.Optional;

/** Kinds, or forms of kinds, that have no body. */
final class Refusals {
  private Refusals() {}

  static Optional<String> of(KernelKind kind) {
    return switch (kind) {
      case KernelKind.EmbedKernel k -> weight(k.weight());
      case KernelKind.MatmulKernel k ->
          rows(k.rows()).or(() -> weight(k.weight())).or(() -> input(k));
      case KernelKind.ExpertMatmulKernel k ->
          Optional.of("products with routed experts have no body yet");
      case KernelKind.KvAppendKernel k -> cache(k.cache());
      case KernelKind.AttentionKernel k ->
          rows(k.rows()).or(() -> cache(k.cacheK())).or(() -> cache(k.cacheV()));
      case KernelKind.TakeRowsKernel k -> Optional.empty();
      case KernelKind.RmsNormKernel k -> Optional.empty();
      case KernelKind.L2NormKernel k -> Optional.empty();
      case KernelKind.QuantiseKernel k -> Optional.empty();
      case KernelKind.DequantiseKernel k -> Optional.empty();
      case KernelKind.UnaryKernel k -> Optional.empty();
      case KernelKind.BinaryKernel k -> Optional.empty();
      case KernelKind.GluKernel k -> Optional.empty();
      case KernelKind.RopeKernel k -> Optional.empty();
      case KernelKind.SoftmaxKernel k -> Optional.empty();
      case KernelKind.ReduceKernel k -> Optional.empty();
      case KernelKind.TopKKernel k -> Optional.empty();
      case KernelKind.RouterKernel k ->
          Optional.of("the fused router has no body yet (--passes=-router)");
      case KernelKind.GatherKernel k -> Optional.empty();
      case KernelKind.CombineKernel k -> Optional.empty();
      case KernelKind.ArgmaxKernel k -> Optional.empty();
      case KernelKind.SliceKernel k -> Optional.empty();
      case KernelKind.ConcatKernel k -> Optional.empty();
    };
  }

  private static Optional<String> rows(Rows rows) {
    return rows == Rows.STEP
        ? Optional.empty()
        : Optional.of("prompts run token by token, chunks have no body yet");
  }

  private static Optional<String> weight(DType type) {
    boolean isRead = type == DType.F32 || type == DType.Q8_0;
    return isRead
        ? Optional.empty()
        : Optional.of("weights are read as f32 or q8_0, not as " + type.text());
  }

  private static Optional<String> input(KernelKind.MatmulKernel k) {
    boolean isRead = k.input() == DType.F32 || k.input() == DType.Q8_1 && k.weight() == DType.Q8_0;
    return isRead
        ? Optional.empty()
        : Optional.of("rows of " + k.input().text() + " meet no weights of " + k.weight().text());
  }

  private static Optional<String> cache(DType type) {
    boolean isHeld = type == DType.F32 || type == DType.F16;
    return isHeld
        ? Optional.empty()
        : Optional.of("caches hold f32 or f16, not " + type.text() + " (--kv f16)");
  }
}
