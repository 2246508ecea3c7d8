package dev.heddle.runtime.generate;

import dev.heddle.runtime.Batch;
import dev.heddle.runtime.Executor;
import dev.heddle.runtime.LogitRows;
import dev.heddle.runtime.Progress;
import java.util.Arrays;
import java.util.Set;

/** Continues a prompt token by token. */
public final class Generator {
  private Generator() {}

  /**
   * What ends a generation.
   *
   * @param maxTokens tokens to make at most
   * @param stopIds ids that end it; they are not part of the result
   */
  public record Limits(int maxTokens, Set<Integer> stopIds) {
    public Limits {
      stopIds = Set.copyOf(stopIds);
    }
  }

  /** Why a generation ended. */
  public enum End {
    STOP_ID,
    MAX_TOKENS,
    CONTEXT_FULL,
    LISTENER
  }

  /** Hears every token as it is made. */
  @FunctionalInterface
  public interface Listener {
    /** Hears nothing, goes on. */
    Listener NONE = id -> true;

    /** Token {@code id} was made; false ends the generation. */
    boolean token(int id);
  }

  /**
   * What was made.
   *
   * @param ids tokens without the prompt and without a stop id
   */
  public record Generation(int[] ids, End end, Timing timing) {}

  /**
   * How long it took.
   *
   * @param promptTokens tokens of the prompt
   * @param promptNanos from the start to the first token, which is sampled from the prompt's last
   *     row
   * @param steps decode steps after that
   * @param decodeNanos time of these steps with sampling
   */
  public record Timing(int promptTokens, long promptNanos, int steps, long decodeNanos) {
    /** Prompt tokens a second. */
    public double promptRate() {
      return promptTokens * 1e9 / Math.max(1, promptNanos);
    }

    /** Decoded tokens a second; 0 if there was no step. */
    public double decodeRate() {
      return steps == 0 ? 0 : steps * 1e9 / Math.max(1, decodeNanos);
    }

    /** Time to the first token in milliseconds. */
    public double firstTokenMillis() {
      return promptNanos / 1e6;
    }
  }

  /**
   * Appends {@code prompt} to the sequence {@code slot} and continues it; the sequence keeps all
   * tokens but the last made.
   */
  public static Generation generate(
      Executor executor,
      int slot,
      int[] prompt,
      Sampler sampler,
      Limits limits,
      Listener listener) {
    long start = System.nanoTime();
    LogitRows rows = executor.prompt(slot, prompt, Progress.NONE);
    int next = sampler.sample(rows, 0, executor.length(slot));
    long first = System.nanoTime();
    int context = executor.model().options().context();
    int[] ids = new int[Math.min(Math.max(limits.maxTokens(), 0), context)];
    Batch batch = Batch.step();
    int count = 0;
    int steps = 0;
    End end = End.MAX_TOKENS;
    while (count < limits.maxTokens()) {
      if (limits.stopIds().contains(next)) {
        end = End.STOP_ID;
        break;
      }
      if (count == ids.length) {
        ids = Arrays.copyOf(ids, count + 1);
      }
      ids[count++] = next;
      if (!listener.token(next)) {
        end = End.LISTENER;
        break;
      }
      if (count == limits.maxTokens()) {
        break;
      }
      if (executor.length(slot) == context) {
        end = End.CONTEXT_FULL;
        break;
      }
      rows = executor.step(batch.clear().add(slot, next, true));
      next = sampler.sample(rows, 0, executor.length(slot));
      steps++;
    }
    Timing timing = new Timing(prompt.length, first - start, steps, System.nanoTime() - first);
    return new Generation(Arrays.copyOf(ids, count), end, timing);
  }
}
