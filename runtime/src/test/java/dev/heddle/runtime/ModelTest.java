package dev.heddle.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.gguf.GgufException;
import dev.heddle.gguf.GgufFile;
import dev.heddle.ir.DType;
import dev.heddle.ir.EnvironmentException;
import dev.heddle.ir.bundle.Bundle;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelTest {
  @TempDir Path folder;

  private final Options options = Options.of(64);

  @Test
  void storedTypeWithoutAKernelIsDequantisedToACopy() {
    var done = new AtomicLong();
    try (GgufFile gguf = TinyBundle.weights(folder, DType.F16);
        Model model =
            Model.load(
                TinyBundle.bundle("jvm", DType.F16),
                WeightSource.of(gguf),
                options,
                (now, all) -> done.set(now * 100 / all));
        Executor executor = model.newExecutor()) {
      int slot = executor.open();
      assertArrayEquals(
          TinyBundle.logits(3, 1), executor.prompt(slot, new int[] {3, 1}, Progress.NONE).row(0));
      assertEquals(100, done.get());
      // Mapped: 64 + 128 bytes; copied: 8 rows of 4 floats; KV: 2 blocks x 32 positions x 4 floats;
      // table 64 x 2 pairs.
      assertEquals(192, model.memoryPlan().mapped());
      assertEquals(128, model.memoryPlan().copied());
      assertEquals(1024, model.memoryPlan().kv());
      assertEquals(64 * 2 * 2 * 4, model.memoryPlan().tables());
      assertEquals(2 * 8192 + 32, model.memoryPlan().arena());
    }
  }

  @Test
  void seededWeightsDependOnTheSeedAlone() {
    float[] first = seeded(7, 1);
    assertArrayEquals(first, seeded(7, 2));
    assertFalse(Arrays.equals(first, seeded(8, 2)));
  }

  private float[] seeded(long seed, int threads) {
    try (Model model =
            Model.load(
                TinyBundle.bundle("jvm", DType.F16),
                WeightSource.random(seed),
                options.withThreads(threads),
                Progress.NONE);
        Executor executor = model.newExecutor()) {
      assertEquals(64 + 128 + 128, model.memoryPlan().copied());
      return executor.prompt(executor.open(), new int[] {3, 1}, Progress.NONE).row(0);
    }
  }

  @Test
  void tensorOfAnotherTypeIsNamed() {
    assertRefused(
        TinyBundle.bundle("jvm", DType.F16),
        "tiny-f32.gguf, tensor token_embd.weight has type f32 but tiny was compiled for f16: compile this file itself");
  }

  @Test
  void bundleForWiderVectorsIsRefusedWithTheCommand() {
    var e =
        assertThrows(
            EnvironmentException.class,
            () -> Model.checkTarget(TinyBundle.bundle("jvm-512", DType.F32), 256));
    assertTrue(
        e.getMessage()
            .startsWith(
                "tiny was compiled for vectors of 512 bits but this machine has 256:"
                    + " compile it here with heddle compile tiny --config test --target jvm"),
        e.getMessage());
    Model.checkTarget(TinyBundle.bundle("jvm-256", DType.F32), 256);
    Model.checkTarget(TinyBundle.bundle("jvm-128", DType.F32), 256);
  }

  @Test
  void tooLittleMemoryIsToldInNumbersBeforeAnythingIsAllocated() {
    var plan =
        new MemoryPlan(5_000_000_000L, 1_500_000_000L, 8_000_000_000L, 300_000_000L, 20_000L);
    plan.check(9_900_000_000L, options);
    var e = assertThrows(EnvironmentException.class, () -> plan.check(9_700_000_000L, options));
    assertEquals(
        "the model needs 9.8 GB beside the mapped file (weights 1.5 GB, KV cache 8.0 GB for 64 positions,"
            + " intermediate values 300.0 MB, tables 0.0 MB) but 9.7 GB are free on this machine: lower --ctx, use --kv q8_0,"
            + " or close other programs",
        e.getMessage());
  }

  @Test
  void hugeContextIsRefusedByNumbersNotByACrash() {
    try (GgufFile gguf = TinyBundle.weights(folder, DType.F32)) {
      var huge = new Options(1, Integer.MAX_VALUE, 1 << 10, 0);
      assertThrows(
          EnvironmentException.class,
          () -> Model.load(TinyBundle.bundle(), WeightSource.of(gguf), huge, Progress.NONE));
    }
  }

  private void assertRefused(Bundle bundle, String sentence) {
    try (GgufFile gguf = TinyBundle.weights(folder, DType.F32)) {
      var e =
          assertThrows(
              GgufException.class,
              () -> Model.load(bundle, WeightSource.of(gguf), options, Progress.NONE));
      assertTrue(e.getMessage().contains(sentence), e.getMessage());
    }
  }
}
