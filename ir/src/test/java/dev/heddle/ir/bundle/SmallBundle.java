package dev.heddle.ir.bundle;

import dev.heddle.ir.DType;
import dev.heddle.ir.Dim;
import dev.heddle.ir.Op;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.RopeTable;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A bundle with one plan of one launch. */
final class SmallBundle {
  private SmallBundle() {}

  static Plan plan() {
    var type = TensorType.f32(Dim.T, Dim.of(8));
    return new Plan(
        new PlanKey(PlanKey.Rows.STEP, 1, 1),
        128,
        List.of(
            new Plan.Buffer(0, 3, 0, type, 0, 32, 0, 1),
            new Plan.Buffer(1, 4, 0, type, 64, 32, 0, 1)),
        List.of(
            new Plan.Launch(
                0,
                List.of(
                    new Plan.Arg.Buf(0, 0),
                    new Plan.Arg.Weight("token_embd.weight", 0, 8),
                    new Plan.Arg.State("blk.0.k"),
                    new Plan.Arg.Table(0)),
                List.of(4),
                -1)),
        List.of(new Plan.Output("logits", 1)));
  }

  static Manifest manifest() {
    return new Manifest(
        Manifest.FORMAT,
        "0.1.0",
        "llama",
        "tiny",
        new TreeMap<>(Map.of("E", "8")),
        "jvm",
        "jvm-256",
        List.of("canonicalise"),
        List.of(),
        DType.F32,
        64,
        8,
        List.of(new Manifest.Weight("token_embd.weight", DType.Q8_0, List.of(8L, 8L), DType.F32)),
        List.of(new Manifest.State("blk.0.k", 0, DType.F16, 2, 4, "append")),
        List.of(new RopeTable(4, 10000.5, new Op.RopeScaling.Linear(4), "")),
        List.of(
            new Manifest.Kernel(
                "RmsNorm0", new KernelKind.RmsNormKernel(Count.TOKENS, 1, 8, 1e-6, true))),
        List.of("step-1"),
        Map.of());
  }

  static BundleContents contents() {
    return new BundleContents(
        manifest(),
        "%0 = input(kind=ids) : i32[T]\n",
        List.of(plan()),
        List.of(
            new BundleContents.KernelFile(
                "RmsNorm0", "class RmsNorm0 {}\n", "bytes".getBytes(StandardCharsets.UTF_8))),
        "{}\n");
  }
}
