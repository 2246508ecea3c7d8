package dev.heddle.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.heddle.gguf.GgufFile;
import dev.heddle.ir.DType;
import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.plan.KernelKind;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExecutorTest {
  @TempDir Path folder;
  private GgufFile gguf;
  private Model model;
  private Executor executor;

  @BeforeEach
  void load() {
    gguf = TinyBundle.weights(folder, DType.F32);
    load(new Options(2, 1024, 3, 40));
  }

  private void load(Options options) {
    model = Model.load(TinyBundle.bundle(), WeightSource.of(gguf), options, Progress.NONE);
    executor = model.newExecutor();
  }

  @AfterEach
  void close() {
    executor.close();
    model.close();
    gguf.close();
  }

  @Test
  void logitsOfAStepAreThoseOfItsHistory() {
    int slot = executor.open();
    Batch batch = Batch.step();
    assertArrayEquals(TinyBundle.logits(3), executor.step(batch.clear().add(slot, 3, true)).row(0));
    assertArrayEquals(
        TinyBundle.logits(3, 5), executor.step(batch.clear().add(slot, 5, true)).row(0));
    assertEquals(2, executor.length(slot));
  }

  @Test
  void promptAndStepsGiveTheSame() {
    int[] tokens = random(1, 100);
    int slot = executor.open();
    assertArrayEquals(
        TinyBundle.logits(tokens), executor.prompt(slot, tokens, Progress.NONE).row(0));
  }

  @Test
  void longPromptIsCutOnTheGridOf512() {
    int[] tokens = random(2, 700);
    int slot = executor.open();
    executor.prompt(slot, Arrays.copyOf(tokens, 10), Progress.NONE);
    List<Integer> steps = new ArrayList<>();
    executor.observe(launched -> {
      if (launched.index() == 0) {
        steps.add(launched.header().tokens);
      }
    });
    LogitRows rows = executor.prompt(slot, Arrays.copyOfRange(tokens, 10, 700), Progress.NONE);
    assertEquals(List.of(502, 188), steps);
    assertArrayEquals(TinyBundle.logits(tokens), rows.row(0));
  }

  @Test
  void sequencesInOneStepDoNotSeeEachOther() {
    int a = executor.open();
    int b = executor.open();
    executor.prompt(a, random(3, 40), Progress.NONE);
    executor.prompt(b, random(4, 33), Progress.NONE);
    Batch batch = Batch.step().add(b, 1, true).add(a, 2, false).add(b, 6, true).add(a, 5, true);
    LogitRows rows = executor.step(batch);
    assertEquals(3, rows.rows());
    assertArrayEquals(TinyBundle.logits(with(random(4, 33), 1)), rows.row(0));
    assertArrayEquals(TinyBundle.logits(with(random(4, 33), 1, 6)), rows.row(1));
    assertArrayEquals(TinyBundle.logits(with(random(3, 40), 2, 5)), rows.row(2));
  }

  @Test
  void truncatedTokensAreForgotten() {
    int slot = executor.open();
    executor.prompt(slot, random(5, 70), Progress.NONE);
    executor.truncate(slot, 31);
    assertEquals(39, executor.freeBlocks());
    LogitRows rows = executor.step(Batch.step().add(slot, 4, true));
    assertArrayEquals(TinyBundle.logits(with(Arrays.copyOf(random(5, 70), 31), 4)), rows.row(0));
  }

  @Test
  void releasedBlocksServeOtherSequences() {
    for (int i = 0; i < 30; i++) {
      int slot = executor.open();
      int[] tokens = random(i, 100 + i);
      assertArrayEquals(
          TinyBundle.logits(tokens), executor.prompt(slot, tokens, Progress.NONE).row(0));
      executor.release(slot);
    }
    assertEquals(40, executor.freeBlocks());
  }

  @Test
  void fullPoolIsToldAndChangesNothing() {
    int a = executor.open();
    int b = executor.open();
    executor.prompt(a, random(6, 1000), Progress.NONE);
    executor.prompt(b, random(7, 256), Progress.NONE);
    var e =
        assertThrows(
            OutOfBlocksException.class,
            () -> executor.step(Batch.step().add(a, 1, true).add(b, 1, true)));
    assertEquals(
        "the step needs 1 more KV blocks of 32 positions but 0 of 40 are free:"
            + " close a sequence or give more memory to the cache",
        e.getMessage());
    assertEquals(1000, executor.length(a));
    executor.step(Batch.step().add(a, 1, true));
    executor.release(a);
    assertArrayEquals(
        TinyBundle.logits(with(random(7, 256), 2)),
        executor.step(Batch.step().add(b, 2, true)).row(0));
  }

  @Test
  void unknownTokenIsNamedWithTheRange() {
    int slot = executor.open();
    for (int token : new int[] {-1, 8}) {
      var e =
          assertThrows(
              StepException.class, () -> executor.step(Batch.step().add(slot, token, true)));
      assertTrue(
          e.getMessage()
              .startsWith(
                  "token id " + token + " is not in the model's vocabulary: ids are 0 to 7"));
    }
    assertEquals(0, executor.length(slot));
  }

  @Test
  void fullContextIsTold() {
    int slot = executor.open();
    executor.prompt(slot, random(8, 1024), Progress.NONE);
    var e = assertThrows(StepException.class, () -> executor.step(Batch.step().add(slot, 1, true)));
    assertEquals(
        "sequence "
            + slot
            + " is full: its context has 1024 positions; use a larger --ctx or a shorter prompt",
        e.getMessage());
  }

  @Test
  void promptStepAcrossTheGridIsRefused() {
    int slot = executor.open();
    executor.prompt(slot, random(9, 511), Progress.NONE);
    var e =
        assertThrows(
            StepException.class,
            () -> executor.step(Batch.prompt().add(slot, 1, false).add(slot, 2, true)));
    assertEquals(
        "a prompt step from position 511 must end at position 512: cut the prompt there",
        e.getMessage());
  }

  @Test
  void tooManyRowsNameThePlansThereAre() {
    int slot = executor.open();
    Batch batch = Batch.step();
    for (int i = 0; i < 5; i++) {
      batch.add(slot, i, true);
    }
    var e = assertThrows(StepException.class, () -> executor.step(batch));
    assertEquals(
        "the bundle has no plan for a step of 5 tokens and 5 rows of logits: its plans are step-1, step-4, prompt-512-1",
        e.getMessage());
  }

  @Test
  void closedSequencesAndMissingSlotsAreRefused() {
    int slot = executor.open();
    executor.release(slot);
    assertThrows(StepException.class, () -> executor.step(Batch.step().add(slot, 1, true)));
    executor.open();
    executor.open();
    executor.open();
    var e = assertThrows(StepException.class, executor::open);
    assertEquals("all 3 sequences are in use: release one first", e.getMessage());
  }

  @Test
  void emptyStepGivesNoRows() {
    assertEquals(0, executor.step(Batch.step()).rows());
    assertThrows(
        StepException.class, () -> executor.prompt(executor.open(), new int[0], Progress.NONE));
  }

  @Test
  void failureInAKernelSurfacesAndChangesNothing() {
    int slot = executor.open();
    executor.prompt(slot, new int[] {1, 2}, Progress.NONE);
    var e = assertThrows(HeddleBug.class, () -> executor.step(Batch.step().add(slot, 7, true)));
    assertTrue(
        e.getMessage().startsWith("launch 0 of plan step-1 (TakeRowsKernel[n=4], layer -1) failed"),
        e.getMessage());
    assertEquals("token 7", e.getCause().getMessage());
    assertEquals(2, executor.length(slot));
    assertArrayEquals(
        TinyBundle.logits(1, 2, 3), executor.step(Batch.step().add(slot, 3, true)).row(0));
  }

  @Test
  void observerReadsAndOverwritesWhatALaunchWrote() {
    int slot = executor.open();
    executor.observe(launched -> {
      if (launched.kind() instanceof KernelKind.EmbedKernel) {
        assertEquals(3f, launched.header().id[0]);
        for (int i = 0; i < 4; i++) {
          assertEquals(
              TinyBundle.embedding(3, i), launched.buffer(0).getAtIndex(ValueLayout.JAVA_FLOAT, i));
          launched.buffer(0).setAtIndex(ValueLayout.JAVA_FLOAT, i, TinyBundle.embedding(5, i));
        }
      }
    });
    assertArrayEquals(TinyBundle.logits(5), executor.step(Batch.step().add(slot, 3, true)).row(0));
    executor.observe(null);
    assertArrayEquals(
        TinyBundle.logits(5, 2), executor.step(Batch.step().add(slot, 2, true)).row(0));
  }

  @Test
  void stepsAllocateNothingAfterWarmUp() {
    int slot = executor.open();
    Batch batch = Batch.step();
    for (int i = 0; i < 300; i++) {
      executor.step(batch.clear().add(slot, i % 7, true));
    }
    long before = allocated();
    for (int i = 0; i < 500; i++) {
      executor.step(batch.clear().add(slot, i % 7, true));
    }
    // Reading the counters allocates a little itself; 500 steps of one object would be 8 000 bytes.
    assertTrue(allocated() - before < 4000, allocated() - before + " bytes");
  }

  private long allocated() {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long sum = threads.getThreadAllocatedBytes(Thread.currentThread().threadId());
    for (long id : model.team().threadIds()) {
      sum += threads.getThreadAllocatedBytes(id);
    }
    return sum;
  }

  private static int[] random(long seed, int count) {
    return new SplittableRandom(seed).ints(count, 0, 7).toArray();
  }

  private static int[] with(int[] tokens, int... more) {
    int[] all = Arrays.copyOf(tokens, tokens.length + more.length);
    System.arraycopy(more, 0, all, tokens.length, more.length);
    return all;
  }
}
