package dev.heddle.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.heddle.ir.Graph;
import dev.heddle.ir.Interpreter;
import dev.heddle.ir.Precision;
import dev.heddle.ir.SequenceState;
import dev.heddle.ir.StepInput;
import dev.heddle.ir.Tensor;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.PlanInterpreter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * Steps of two sequences, run by the graph or by plans, and comparison of their outputs bit for
 * bit.
 */
final class Steps {
  private Steps() {}

  /**
   * Runs a prompt of 5 tokens and then a step of 1 token for each of two sequences; gives the
   * outputs of both steps.
   */
  static List<Map<String, Tensor>> run(
      long seed, int vocabulary, Function<StepInput, Map<String, Tensor>> model) {
    SplittableRandom random = new SplittableRandom(seed);
    List<SequenceState> sequences = List.of(new SequenceState(), new SequenceState());
    int[] ids = random.ints(5, 0, vocabulary).toArray();
    StepInput prompt =
        new StepInput(
            ids, new int[] {0, 1, 0, 2, 1}, new int[] {0, 0, 1, 0, 1}, new int[] {3, 4}, sequences);
    Map<String, Tensor> first = model.apply(prompt);
    int[] next = random.ints(2, 0, vocabulary).toArray();
    StepInput step =
        new StepInput(next, new int[] {2, 3}, new int[] {1, 0}, new int[] {0, 1}, sequences);
    return List.of(first, model.apply(step));
  }

  /** A graph in f32. */
  static Function<StepInput, Map<String, Tensor>> graph(Graph graph, long seed) {
    return step -> Interpreter.run(graph, step, new SeededWeights(seed), Precision.F32);
  }

  /** A plan of the given key. */
  static Function<StepInput, Map<String, Tensor>> plan(Lowered lowered, Plan plan, long seed) {
    return step ->
        new PlanInterpreter(plan, lowered.kernels(), lowered.ropeTables(), new SeededWeights(seed))
            .run(step);
  }

  /**
   * The outputs of {@code expected} that are values, states apart, are the same bits in {@code
   * actual}.
   */
  static void assertSameBits(
      List<Map<String, Tensor>> expected, List<Map<String, Tensor>> actual, String where) {
    for (int i = 0; i < expected.size(); i++) {
      for (Map.Entry<String, Tensor> output : expected.get(i).entrySet()) {
        if (!(output.getValue() instanceof Tensor.Cache)) {
          assertEquals(
              values(output.getValue()),
              values(actual.get(i).get(output.getKey())),
              where + ", output " + output.getKey());
        }
      }
    }
  }

  /** Values without their shape: a plan knows an output by the shape in which it was computed. */
  private static String values(Tensor tensor) {
    return switch (tensor) {
      case Tensor.Reals r -> Arrays.toString(r.values());
      case Tensor.Ints i -> Arrays.toString(i.values());
      case Tensor.Cache c -> c.name();
    };
  }
}
