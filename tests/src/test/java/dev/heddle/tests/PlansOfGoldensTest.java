package dev.heddle.tests;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.heddle.compiler.CompileRequest;
import dev.heddle.compiler.Compiler;
import dev.heddle.compiler.spec.ModelGraph;
import dev.heddle.gguf.GgufFile;
import dev.heddle.ir.DType;
import dev.heddle.ir.Interpreter;
import dev.heddle.ir.Precision;
import dev.heddle.ir.SequenceState;
import dev.heddle.ir.StepInput;
import dev.heddle.ir.Tensor;
import dev.heddle.ir.WeightSource;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.PlanInterpreter;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.PlanKey.Rows;
import dev.heddle.passes.Lowered;
import dev.heddle.passes.Observer;
import dev.heddle.passes.PassSelection;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plans of the goldens' models, run launch by launch on arena bytes, give the bits of the graph:
 * passes, lowering, order and memory plan change nothing, with biases, rope factors, tied heads and
 * experts alike.
 */
class PlansOfGoldensTest {
  private static final List<PlanKey> KEYS =
      List.of(new PlanKey(Rows.STEP, 4, 4), new PlanKey(Rows.PROMPT, 16, 16));
  private static final int TOKENS = 3;

  static Stream<Golden> goldens() throws IOException {
    return Golden.all();
  }

  @ParameterizedTest
  @MethodSource("goldens")
  void plansOfTheExactPathGiveTheBitsOfTheSpecsGraph(Golden golden) {
    check(golden, "-int8-activations", true);
  }

  @ParameterizedTest
  @MethodSource("goldens")
  void plansWithInt8ActivationsGiveTheBitsOfTheirGraph(Golden golden) {
    check(golden, "+int8-activations", false);
  }

  private static void check(Golden golden, String passes, boolean isExact) {
    CompileRequest request =
        CompileRequest.jvm(256, "test")
            .withKv(DType.F32)
            .withKeys(KEYS)
            .withPasses(PassSelection.parse(passes))
            .withObserver(Observer.verifying());
    try (GgufFile file = GgufFile.open(golden.gguf())) {
      ModelGraph model = Compiler.graph(file, request);
      Lowered lowered = Compiler.lower(model, request);
      WeightSource weights = weights(file);
      int[] ids = Arrays.copyOf(golden.prompts()[0], 2 * TOKENS);
      float[][] expected =
          logits(
              ids,
              step ->
                  Interpreter.run(
                      isExact ? model.main() : lowered.after(), step, weights, Precision.F32));
      for (Plan plan : lowered.plans().values()) {
        PlanInterpreter interpreter =
            new PlanInterpreter(plan, lowered.kernels(), lowered.ropeTables(), weights);
        float[][] found = logits(ids, interpreter::run);
        assertArrayEquals(expected[0], found[0], 0, golden.name() + " " + plan.key().text());
        assertArrayEquals(expected[1], found[1], 0, golden.name() + " " + plan.key().text());
      }
    }
  }

  /** Logits of two steps of one sequence. */
  private static float[][] logits(int[] ids, Function<StepInput, Map<String, Tensor>> model) {
    SequenceState sequence = new SequenceState();
    float[][] logits = new float[2][];
    for (int i = 0; i < 2; i++) {
      int[] part = Arrays.copyOfRange(ids, i * TOKENS, (i + 1) * TOKENS);
      Map<String, Tensor> outputs = model.apply(StepInput.of(sequence, i * TOKENS, part));
      logits[i] = ((Tensor.Reals) outputs.get("logits")).toFloats();
    }
    return logits;
  }

  private static WeightSource weights(GgufFile file) {
    Map<String, float[]> known = new HashMap<>();
    return (weight, type) -> {
      float[] all = known.computeIfAbsent(weight.tensor(), name -> file.require(name).toFloats());
      int row = type.shape().rank() == 1 ? 1 : (int) type.shape().dim(0).value();
      int from = (int) weight.rowFrom() * row;
      return Arrays.copyOfRange(all, from, from + (int) type.shape().constants());
    };
  }
}
