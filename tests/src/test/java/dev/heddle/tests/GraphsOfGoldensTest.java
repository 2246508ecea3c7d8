package dev.heddle.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.heddle.compiler.spec.CompileOptions;
import dev.heddle.compiler.spec.GgufFacts;
import dev.heddle.compiler.spec.ModelGraph;
import dev.heddle.compiler.spec.SpecCompiler;
import dev.heddle.compiler.spec.SpecLibrary;
import dev.heddle.gguf.GgufFile;
import dev.heddle.ir.DType;
import dev.heddle.ir.Interpreter;
import dev.heddle.ir.Precision;
import dev.heddle.ir.SequenceState;
import dev.heddle.ir.StepInput;
import dev.heddle.ir.Tensor;
import dev.heddle.ir.WeightSource;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The specs mean what other implementations compute: graphs as elaborated, before any pass, run by
 * the reference interpreter.
 */
class GraphsOfGoldensTest {
  static Stream<Golden> goldens() throws IOException {
    return Golden.all();
  }

  private static ModelGraph graph(GgufFile file) {
    CompileOptions options = CompileOptions.DEFAULT.withKv(DType.F32);
    return SpecCompiler.compile(
        SpecLibrary.require(file.metadata().architecture()), new GgufFacts(file), options);
  }

  private static WeightSource weights(GgufFile file) {
    return (weight, type) -> {
      float[] all = file.require(weight.tensor()).toFloats();
      if (weight.rowTo() < 0) {
        return all;
      }
      int row = type.shape().rank() == 1 ? 1 : (int) type.shape().dim(0).value();
      return Arrays.copyOfRange(all, (int) weight.rowFrom() * row, (int) weight.rowTo() * row);
    };
  }

  private static float[] logits(
      ModelGraph model, WeightSource weights, SequenceState sequence, int from, int... ids) {
    StepInput step = StepInput.of(sequence, from, ids);
    Tensor logits = Interpreter.run(model.main(), step, weights, Precision.F32).get("logits");
    return ((Tensor.Reals) logits).toFloats();
  }

  private static void compare(Golden golden, float[][] expected, float[] found, int firstRow) {
    int vocabulary = expected[0].length;
    for (int i = 0; i < found.length; i++) {
      int row = firstRow + i / vocabulary;
      assertEquals(
          expected[row][i % vocabulary],
          found[i],
          golden.bound(),
          golden.name() + " row " + row + " token " + i % vocabulary);
    }
  }

  @ParameterizedTest
  @MethodSource("goldens")
  void wholePromptGivesTheReferencesLogits(Golden golden) {
    try (GgufFile file = GgufFile.open(golden.gguf())) {
      ModelGraph model = graph(file);
      for (int p = 0; p < 2; p++) {
        float[] found = logits(model, weights(file), new SequenceState(), 0, golden.prompts()[p]);
        compare(golden, golden.tensors().rows("logits." + p), found, 0);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("goldens")
  void tokenByTokenGivesTheReferencesLogits(Golden golden) {
    try (GgufFile file = GgufFile.open(golden.gguf())) {
      ModelGraph model = graph(file);
      SequenceState sequence = new SequenceState();
      int[] prompt = golden.prompts()[1];
      for (int i = 0; i < prompt.length; i++) {
        float[] found = logits(model, weights(file), sequence, i, prompt[i]);
        compare(golden, golden.tensors().rows("step.1"), found, i);
      }
    }
  }
}
