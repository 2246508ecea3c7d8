package dev.heddle.compiler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.codegen.jvm.JvmCodegen;
import dev.heddle.codegen.jvm.JvmCompiler;
import dev.heddle.codegen.jvm.KernelSource;
import dev.heddle.ir.DType;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.PlanKey.Rows;
import dev.heddle.ir.target.Target;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the JVM target says of itself is what its code generator can do. */
class JvmCapabilityTest {
  private static final Target JVM = Target.jvm();

  @Test
  void everyWeightTypeOfTheTargetHasItsKernels() {
    List<KernelKind> kinds = new ArrayList<>();
    for (DType weight : JVM.weightTypes()) {
      kinds.add(new KernelKind.EmbedKernel(weight, 256, 8, 1));
      products(weight, DType.F32, kinds);
    }
    for (DType weight : JVM.int8WeightTypes()) {
      products(weight, DType.Q8_1, kinds);
    }

    List<KernelSource> sources = JvmCodegen.generate(kinds, 256);

    assertEquals(sources.stream().distinct().count(), JvmCompiler.compile(sources).size());
  }

  @Test
  void int8PathsAreForTypesThatHaveKernels() {
    assertTrue(JVM.weightTypes().containsAll(JVM.int8WeightTypes()));
  }

  private static void products(DType weight, DType input, List<KernelKind> kinds) {
    for (Rows rows : Rows.values()) {
      kinds.add(
          new KernelKind.MatmulKernel(rows, Count.TOKENS, weight, input, 256, 8, false, false));
      kinds.add(
          new KernelKind.ExpertMatmulKernel(
              rows, weight, input, 256, 8, 4, 2, false, false, false));
    }
  }
}
