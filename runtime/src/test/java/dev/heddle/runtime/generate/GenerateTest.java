package dev.heddle.runtime.generate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.gguf.GgufFile;
import dev.heddle.ir.DType;
import dev.heddle.ir.plan.PlanKey.Rows;
import dev.heddle.runtime.Executor;
import dev.heddle.runtime.Model;
import dev.heddle.runtime.Options;
import dev.heddle.runtime.Progress;
import dev.heddle.runtime.StepException;
import dev.heddle.runtime.TinyBundle;
import dev.heddle.runtime.WeightSource;
import dev.heddle.runtime.generate.Generator.End;
import dev.heddle.runtime.generate.Generator.Generation;
import dev.heddle.runtime.generate.Generator.Limits;
import dev.heddle.runtime.generate.Generator.Listener;
import dev.heddle.runtime.generate.Sampler.Settings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GenerateTest {
  @TempDir Path folder;
  private GgufFile gguf;
  private Model model;
  private Executor executor;

  @BeforeEach
  void load() {
    gguf = TinyBundle.weights(folder, DType.F32);
    var keys =
        List.of(
            TinyBundle.key(Rows.STEP, 1, 1),
            TinyBundle.key(Rows.PROMPT, 512, 1),
            TinyBundle.key(Rows.PROMPT, 512, 512));
    model =
        Model.load(
            TinyBundle.bundle("jvm", DType.F32, keys),
            WeightSource.of(gguf),
            Options.of(1024),
            Progress.NONE);
    executor = model.newExecutor();
  }

  @AfterEach
  void close() {
    executor.close();
    model.close();
    gguf.close();
  }

  /**
   * Greedy continuation of the known model; id 7 is excluded because the fixture's kernels fail on
   * it.
   */
  private static int[] continuation(int[] prompt, int count) {
    int[] all = prompt.clone();
    for (int n = 0; n < count; n++) {
      float[] logits = TinyBundle.logits(all);
      int best = 0;
      for (int i = 1; i < 7; i++) {
        best = logits[i] > logits[best] ? i : best;
      }
      all = Arrays.copyOf(all, all.length + 1);
      all[all.length - 1] = best;
    }
    return Arrays.copyOfRange(all, prompt.length, all.length);
  }

  private Generation generate(int[] prompt, int max, Set<Integer> stops, Listener listener) {
    int slot = executor.open();
    try {
      var sampler = new Sampler(Settings.greedy().withNever(7));
      return Generator.generate(executor, slot, prompt, sampler, new Limits(max, stops), listener);
    } finally {
      executor.release(slot);
    }
  }

  @Test
  void greedyTextIsTheModels() {
    int[] prompt = {1, 4, 2};
    List<Integer> heard = new ArrayList<>();
    Generation made = generate(prompt, 20, Set.of(), heard::add);
    int[] expected = continuation(prompt, 20);
    assertArrayEquals(expected, made.ids());
    assertEquals(Arrays.stream(expected).boxed().toList(), heard);
    assertEquals(End.MAX_TOKENS, made.end());
    assertEquals(3, made.timing().promptTokens());
    assertEquals(19, made.timing().steps());
    assertTrue(
        made.timing().decodeRate() > 0
            && made.timing().promptRate() > 0
            && made.timing().firstTokenMillis() > 0);
  }

  @Test
  void stopIdEndsWithoutBeingPartOfTheText() {
    int[] prompt = {1, 4, 2};
    int[] free = continuation(prompt, 20);
    int stop = free[free.length - 1];
    int at = 0;
    while (free[at] != stop) {
      at++;
    }
    Generation made = generate(prompt, 100, Set.of(stop), Listener.NONE);
    assertArrayEquals(Arrays.copyOf(free, at), made.ids());
    assertEquals(End.STOP_ID, made.end());
  }

  @Test
  void listenerEndsTheGeneration() {
    Generation made = generate(new int[] {1}, 100, Set.of(), id -> false);
    assertEquals(1, made.ids().length);
    assertEquals(End.LISTENER, made.end());
  }

  @Test
  void fullContextEndsTheGeneration() {
    Generation made =
        generate(new SplittableRandom(3).ints(1020, 0, 7).toArray(), 100, Set.of(), Listener.NONE);
    assertEquals(5, made.ids().length);
    assertEquals(End.CONTEXT_FULL, made.end());
  }

  @Test
  void noTokensAreMadeWhenNoneAreAllowed() {
    assertEquals(0, generate(new int[] {1}, 0, Set.of(), Listener.NONE).ids().length);
  }

  @Test
  void wholeAndStepwiseLogitsAreTheModels() {
    int[] tokens = new SplittableRandom(4).ints(600, 0, 7).toArray();
    int whole = executor.open();
    List<Integer> positions = new ArrayList<>();
    Logits.whole(
        executor,
        whole,
        tokens,
        (position, rows, row) -> {
          positions.add(position);
          if (position % 50 == 0 || position == 511 || position == 512) {
            assertArrayEquals(
                TinyBundle.logits(Arrays.copyOf(tokens, position + 1)),
                rows.row(row),
                "position " + position);
          }
        });
    assertEquals(600, positions.size());
    executor.release(whole);
    int step = executor.open();
    Logits.stepwise(
        executor,
        step,
        Arrays.copyOf(tokens, 20),
        (position, rows, row) ->
            assertArrayEquals(
                TinyBundle.logits(Arrays.copyOf(tokens, position + 1)),
                rows.row(row),
                "position " + position));
  }

  @Test
  void perplexityFollowsItsProtocol() {
    int[] tokens = new SplittableRandom(5).ints(150, 0, 7).toArray();
    Perplexity measured = Perplexity.measure(executor, tokens, 64, Progress.NONE);
    assertEquals(
        List.of(64, 64, 22), measured.windows().stream().map(Perplexity.Window::tokens).toList());
    assertEquals(147, measured.scored());
    assertEquals(
        List.of(31, 31, 0),
        measured.windows().stream().map(Perplexity.Window::secondHalfScored).toList());
    double sum = 0;
    double half = 0;
    for (int from = 0; from < 150; from += 64) {
      int end = Math.min(150, from + 64);
      for (int i = from + 1; i < end; i++) {
        double loss = loss(TinyBundle.logits(Arrays.copyOfRange(tokens, from, i)), tokens[i]);
        sum += loss;
        half += end - from == 64 && i - from > 32 ? loss : 0;
      }
    }
    assertEquals(
        sum, measured.windows().stream().mapToDouble(Perplexity.Window::sum).sum(), 1e-9 * sum);
    assertEquals(Math.exp(sum / 147), measured.value(), 1e-9 * measured.value());
    assertEquals(Math.exp(half / 62), measured.secondHalf(), 1e-9 * measured.secondHalf());
    assertEquals(1, executor.open() + 1);
  }

  @Test
  void perplexityOfNothingIsRefused() {
    assertThrows(
        StepException.class, () -> Perplexity.measure(executor, new int[] {1}, 512, Progress.NONE));
    assertThrows(
        StepException.class,
        () -> Perplexity.measure(executor, new int[] {1, 2}, 2048, Progress.NONE));
  }

  private static double loss(float[] logits, int token) {
    double sum = 0;
    double max = Double.NEGATIVE_INFINITY;
    for (float l : logits) {
      max = Math.max(max, l);
    }
    for (float l : logits) {
      sum += Math.exp(l - max);
    }
    return max + Math.log(sum) - logits[token];
  }
}
