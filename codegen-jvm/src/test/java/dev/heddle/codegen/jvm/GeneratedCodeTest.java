package dev.heddle.codegen.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.DType;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.PlanKey.Rows;
import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.CodeAttribute;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GeneratedCodeTest {
  /** HotSpot compiles no method of 8000 bytes or more (DontCompileHugeMethods). */
  private static final int HUGE = 8000;

  @Test
  void everyMethodIsSmallEnoughForTheJitAtEveryWidth() {
    var kinds = new ArrayList<>(Kinds.others());
    kinds.addAll(Kinds.products(25600, 5120));
    for (int bits : new int[] {128, 256, 512}) {
      JvmCompiler.compile(JvmCodegen.generate(kinds, bits))
          .forEach((name, bytes) -> {
            for (var method : ClassFile.of().parse(bytes).methods()) {
              int length = method.code().map(code -> ((CodeAttribute) code).codeLength()).orElse(0);
              assertTrue(
                  length < HUGE,
                  name + "." + method.methodName() + " has " + length + " bytes of code");
            }
          });
    }
  }

  @Test
  void sourcesAndNamesAreStable() {
    KernelKind kind =
        new KernelKind.MatmulKernel(
            Rows.STEP, KernelKind.Count.TOKENS, DType.Q8_0, DType.F32, 2048, 8192, false, false);
    var first = JvmCodegen.generate(List.of(kind), 256).getFirst();
    var second = JvmCodegen.generate(List.of(kind), 256).getFirst();
    assertEquals(first, second);
    assertTrue(
        first
            .className()
            .matches("dev\\.heddle\\.generated\\.MatmulStepQ8_0_2048x8192_[0-9a-f]{10}"),
        first.className());
    assertTrue(first.source().contains(kind.toString()), first.source());
  }

  @Test
  void kernelsOfOtherDimensionsHaveOtherNames() {
    var names =
        JvmCodegen.generate(
                List.of(new KernelKind.ArgmaxKernel(10), new KernelKind.ArgmaxKernel(11)), 256)
            .stream()
            .map(KernelSource::className)
            .distinct();
    assertEquals(2, names.count());
  }
}
