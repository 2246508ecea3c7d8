package dev.heddle.runtime.generate;

import dev.heddle.runtime.Executor;
import dev.heddle.runtime.LogitRows;
import dev.heddle.runtime.Progress;
import dev.heddle.runtime.StepException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Perplexity of a token list: consecutive windows, each from an empty state, ids 1 .. n-1 of each
 * scored, the shorter last one too.
 *
 * @param window ids of a full window
 * @param windows each window's share
 */
public record Perplexity(int window, List<Window> windows) {
  public Perplexity {
    windows = List.copyOf(windows);
  }

  /**
   * A window's sums of negative log-likelihoods in nats.
   *
   * @param tokens ids in it
   * @param sum over the scored ids 1 .. tokens-1
   * @param scored how many these are
   * @param secondHalfSum over ids window/2+1 .. window-1 of a full window, else 0
   * @param secondHalfScored how many these are
   */
  public record Window(
      int tokens, double sum, int scored, double secondHalfSum, int secondHalfScored) {}

  /** exp of the mean negative log-likelihood. */
  public double value() {
    return Math.exp(windows.stream().mapToDouble(Window::sum).sum() / scored());
  }

  /** Scored ids. */
  public int scored() {
    return windows.stream().mapToInt(Window::scored).sum();
  }

  /** The same over the second halves of full windows, NaN if there is none. */
  public double secondHalf() {
    double sum = windows.stream().mapToDouble(Window::secondHalfSum).sum();
    return Math.exp(sum / windows.stream().mapToInt(Window::secondHalfScored).sum());
  }

  /** Measures; {@code window} is at least 2 and at most the executor's context. */
  public static Perplexity measure(Executor executor, int[] tokens, int window, Progress progress) {
    int context = executor.model().options().context();
    if (window < 2 || window > context || tokens.length < 2) {
      throw new StepException(
          "perplexity takes at least 2 tokens and windows of 2 to "
              + context
              + " (the context), not "
              + tokens.length
              + " tokens and windows of "
              + window);
    }
    List<Window> windows = new ArrayList<>();
    for (int from = 0; from < tokens.length; from += window) {
      int[] ids = Arrays.copyOfRange(tokens, from, Math.min(tokens.length, from + window));
      windows.add(measure(executor, ids, window));
      progress.update(from + ids.length, tokens.length);
    }
    return new Perplexity(window, windows);
  }

  private static Window measure(Executor executor, int[] ids, int window) {
    double[] sums = new double[2];
    int[] counts = new int[2];
    float[] row = new float[executor.model().manifest().vocabulary()];
    int slot = executor.open();
    try {
      // The last id is only predicted: nobody asks what follows it.
      int[] read = Arrays.copyOf(ids, ids.length - 1);
      Logits.whole(
          executor,
          slot,
          read,
          (position, rows, r) -> {
            double loss = negativeLogLikelihood(rows, r, ids[position + 1], row);
            sums[0] += loss;
            counts[0]++;
            if (ids.length == window && position + 1 > window / 2) {
              sums[1] += loss;
              counts[1]++;
            }
          });
    } finally {
      executor.release(slot);
    }
    return new Window(ids.length, sums[0], counts[0], sums[1], counts[1]);
  }

  /** log sum exp of the row minus the token's logit, in f64. */
  private static double negativeLogLikelihood(LogitRows rows, int r, int token, float[] row) {
    rows.copy(r, row);
    double max = Double.NEGATIVE_INFINITY;
    for (float logit : row) {
      max = Math.max(max, logit);
    }
    double sum = 0;
    for (float logit : row) {
      sum += Math.exp(logit - max);
    }
    return max + Math.log(sum) - row[token];
  }
}
