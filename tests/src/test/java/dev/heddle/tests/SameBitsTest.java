package dev.heddle.tests;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.gguf.GgufFile;
import dev.heddle.runtime.Batch;
import dev.heddle.runtime.Devices;
import dev.heddle.runtime.Executor;
import dev.heddle.runtime.LogitRows;
import dev.heddle.runtime.Model;
import dev.heddle.runtime.Options;
import dev.heddle.runtime.Progress;
import dev.heddle.runtime.WeightSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A token's logits have the same bits whoever shares its step, in padded buckets too, and whatever
 * the width of the vectors.
 */
class SameBitsTest {
  private static final int SEQUENCES = 8;
  private static final int LENGTH = 6;

  @ParameterizedTest
  @CsvSource({
    "tiny-qwen3moe, -int8-activations, f16",
    "tiny-qwen3moe, +int8-activations, q8_0",
    "tiny-qwen3, -int8-activations, f32"
  })
  void aTokenDecodedAloneOrInABatchHasTheSameLogits(String name, String passes, String kv) {
    Path file = Reference.read(name).gguf();
    try (Engine engine = Engine.open(file, passes, kv, 64, SEQUENCES)) {
      float[][][] alone = new float[SEQUENCES][][];
      for (int s = 0; s < SEQUENCES; s++) {
        alone[s] = engine.steps(ids(s));
      }
      for (int together : new int[] {2, 3, 4, 5, 7, 8}) {
        float[][][] batched = batched(engine.executor(), together);
        for (int s = 0; s < together; s++) {
          for (int t = 0; t < LENGTH; t++) {
            assertArrayEquals(
                alone[s][t],
                batched[s][t],
                name + " T = " + together + ", sequence " + s + ", position " + t);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tiny-qwen3moe", "tiny-qwen3"})
  void tokensOfOneSequenceVerifiedInOneStepHaveTheLogitsOfSingleSteps(String name) {
    try (Engine engine =
        Engine.open(Reference.read(name).gguf(), "-int8-activations", "f16", 64, 1)) {
      float[][] single = engine.steps(ids(0));
      Executor executor = engine.executor();
      int slot = executor.open();
      Batch batch = Batch.step();
      for (int id : ids(0)) {
        batch.add(slot, id, true);
      }
      LogitRows rows = executor.step(batch);
      for (int t = 0; t < LENGTH; t++) {
        assertArrayEquals(single[t], rows.row(t), name + " position " + t);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"qwen3moe-q4km", "llama-bias"})
  void narrowerVectorsGiveTheSameLogits(String name) {
    Golden golden = Golden.read(name);
    List<Integer> widths = new ArrayList<>(List.of(128, 256, 512));
    widths.removeIf(w -> w > Devices.vectorBits());
    assertTrue(widths.size() >= 1, "vectors of " + Devices.vectorBits() + " bits");
    float[][] first = null;
    for (int width : widths) {
      try (GgufFile gguf = GgufFile.open(golden.gguf());
          Model model =
              Model.load(
                  Chain.compile(gguf, "-int8-activations", "f32", width),
                  WeightSource.of(gguf),
                  Options.of(32),
                  Progress.NONE);
          Executor executor = model.newExecutor()) {
        int slot = executor.open();
        float[][] rows = new float[golden.prompts()[1].length][];
        for (int t = 0; t < rows.length; t++) {
          rows[t] = executor.step(Batch.step().add(slot, golden.prompts()[1][t], true)).row(0);
        }
        if (first == null) {
          first = rows;
        }
        for (int t = 0; t < rows.length; t++) {
          assertArrayEquals(
              first[t], rows[t], name + ", vectors of " + width + " bits, position " + t);
        }
      }
    }
  }

  private static float[][][] batched(Executor executor, int together) {
    int[] slots = new int[together];
    for (int s = 0; s < together; s++) {
      slots[s] = executor.open();
    }
    float[][][] logits = new float[together][LENGTH][];
    Batch batch = Batch.step();
    for (int t = 0; t < LENGTH; t++) {
      batch.clear();
      for (int s = 0; s < together; s++) {
        batch.add(slots[s], ids(s)[t], true);
      }
      LogitRows rows = executor.step(batch);
      assertEquals(together, rows.rows());
      for (int s = 0; s < together; s++) {
        logits[s][t] = rows.row(s);
      }
    }
    for (int slot : slots) {
      executor.release(slot);
    }
    return logits;
  }

  private static int[] ids(int sequence) {
    int[] ids = new int[LENGTH];
    for (int t = 0; t < LENGTH; t++) {
      ids[t] = 100 + 331 * sequence + 17 * t * (sequence + 1);
    }
    return ids;
  }
}
