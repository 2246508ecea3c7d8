package dev.heddle.codegen.gpu;

import dev.heddle.codegen.gpu.KernelCase.Expected;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.PlanKey;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;

/** Cases of one plan key, over one step. */
final class Cases {
  private final List<KernelCase> all = new ArrayList<>();
  final SplittableRandom random;
  final PlanKey key;
  final Data.Step step;

  Cases(long seed, PlanKey key, Data.Step step) {
    random = new SplittableRandom(seed);
    this.key = key;
    this.step = step;
  }

  List<KernelCase> all() {
    return List.copyOf(all);
  }

  int rows(Count count) {
    return count == Count.TOKENS ? step.ids().length : step.wanted().length;
  }

  /** The rows that an output has memory for; those behind the step's rows must stay as they are. */
  int bucket(Count count) {
    return count == Count.TOKENS ? key.tokens() : key.outRows();
  }

  float[] floats(int n) {
    return Data.floats(random, n);
  }

  /** A case whose output is f32[rows, n], value i of which is {@code value(i)}. */
  void floats(
      String name,
      KernelKind kind,
      Count count,
      int n,
      double tolerance,
      IntToDoubleFunction value,
      byte[]... inputs) {
    double[] expected = Data.doubles(Data.unwritten(bucket(count) * n));
    for (int i = 0; i < rows(count) * n; i++) {
      expected[i] = value.applyAsDouble(i);
    }
    add(
        name,
        kind,
        Data.unwritten(expected.length),
        new Expected.Floats(expected, tolerance),
        inputs);
  }

  /**
   * A case whose output, the first argument, starts as {@code before} and must become {@code
   * expected}.
   */
  void bytes(String name, KernelKind kind, byte[] before, byte[] expected, byte[]... inputs) {
    add(name, kind, before, new Expected.Bytes(expected), inputs);
  }

  private void add(
      String name, KernelKind kind, byte[] before, Expected expected, byte[]... inputs) {
    List<byte[]> arguments = new ArrayList<>(List.of(step.header(key), before));
    arguments.addAll(List.of(inputs));
    all.add(new KernelCase(name, kind, arguments, 1, expected));
  }
}
