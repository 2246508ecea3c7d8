package dev.heddle.runtime.generate;

import dev.heddle.runtime.LogitRows;
import dev.heddle.runtime.StepException;
import java.util.Arrays;

/**
 * Chooses a token from logits. With temperature 0 the best (the lowest id among equals); otherwise
 * a draw that depends on seed and position alone, so that a run can be repeated and a sequence's
 * tokens do not depend on its batch. A NaN is never chosen while there is a number. Not for several
 * threads.
 */
public final class Sampler {
  private final Settings settings;
  private float[] logits = new float[0];
  private double[] weights = new double[0];
  private long[] keys = new long[0];

  /**
   * What is drawn from, filters in this order: never, temperature, top_k, top_p, min_p.
   *
   * @param temperature divides logits; 0 = greedy
   * @param topK keeps that many best; 0 = all
   * @param topP keeps the fewest best whose probabilities sum to at least this; 1 = all
   * @param minP keeps those at least this times as probable as the best; 0 = all
   * @param seed of all draws
   * @param never ids that are never chosen, such as padding entries of the vocabulary
   */
  public record Settings(
      double temperature, int topK, double topP, double minP, long seed, int[] never) {
    public Settings {
      if (!(temperature >= 0)
          || topK < 0
          || !(topP > 0 && topP <= 1)
          || !(minP >= 0 && minP <= 1)) {
        throw new IllegalArgumentException(
            "temperature "
                + temperature
                + ", top_k "
                + topK
                + ", top_p "
                + topP
                + ", min_p "
                + minP
                + ": they must be at least 0, at least 0, over 0 and at most 1, and 0 to 1");
      }
      never = never.clone();
    }

    /** The best token, always. */
    public static Settings greedy() {
      return new Settings(0, 0, 1, 0, 0, new int[0]);
    }

    /** These settings with ids that are never chosen. */
    public Settings withNever(int... ids) {
      return new Settings(temperature, topK, topP, minP, seed, ids);
    }
  }

  public Sampler(Settings settings) {
    this.settings = settings;
  }

  /** The token for position {@code position} of a sequence, from row {@code row} of a step. */
  public int sample(LogitRows rows, int row, int position) {
    if (logits.length != rows.vocabulary()) {
      logits = new float[rows.vocabulary()];
    }
    rows.copy(row, logits);
    for (int id : settings.never()) {
      if (id >= 0 && id < logits.length) {
        logits[id] = Float.NaN;
      }
    }
    int best = best();
    if (settings.temperature() == 0
        || logits[best] == Float.POSITIVE_INFINITY
        || Float.isNaN(logits[best])) {
      return best;
    }
    return draw(best, uniform(settings.seed(), position));
  }

  /** The lowest id of the largest number; without any number the lowest id that may be chosen. */
  private int best() {
    int best = -1;
    for (int i = 0; i < logits.length; i++) {
      if (logits[i] == logits[i] && (best < 0 || logits[i] > logits[best])) {
        best = i;
      }
    }
    for (int i = 0; best < 0 && i < logits.length; i++) {
      int id = i;
      if (Arrays.stream(settings.never()).noneMatch(n -> n == id)) {
        best = i;
      }
    }
    if (best < 0) {
      throw new StepException("every token id is excluded from sampling: allow at least one");
    }
    return best;
  }

  private int draw(int best, double uniform) {
    int count = candidates(logits[best]);
    double max = logits[best] / settings.temperature();
    double sum = 0;
    for (int i = 0; i < count; i++) {
      weights[i] = Math.exp(logits[(int) keys[i]] / settings.temperature() - max);
      sum += weights[i];
    }
    count = keepTopP(count, sum);
    while (count > 1 && weights[count - 1] < settings.minP()) {
      count--;
    }
    double kept = 0;
    for (int i = 0; i < count; i++) {
      kept += weights[i];
    }
    double target = uniform * kept;
    double reached = 0;
    for (int i = 0; i < count; i++) {
      reached += weights[i];
      if (reached > target) {
        return (int) keys[i];
      }
    }
    return (int) keys[count - 1];
  }

  /**
   * Fills {@link #keys} with ids by falling logit, then rising id; gives how many remain after
   * top_k.
   */
  private int candidates(float max) {
    if (keys.length != logits.length) {
      keys = new long[logits.length];
      weights = new double[logits.length];
    }
    // Below this a weight is exp(-746) = 0 in f64: sorting these would change nothing.
    double floor = max - 746 * settings.temperature();
    int count = 0;
    for (int i = 0; i < logits.length; i++) {
      if (logits[i] >= floor) {
        keys[count++] = (long) ~ordered(logits[i] + 0f) << 32 | i;
      }
    }
    Arrays.sort(keys, 0, count);
    return settings.topK() == 0 ? count : Math.min(count, settings.topK());
  }

  private int keepTopP(int count, double sum) {
    double reached = 0;
    for (int i = 0; i < count && settings.topP() < 1; i++) {
      reached += weights[i];
      if (reached >= settings.topP() * sum) {
        return i + 1;
      }
    }
    return count;
  }

  /** An int that orders as the float does; -0 was made +0 by the caller. */
  private static int ordered(float value) {
    int bits = Float.floatToRawIntBits(value);
    return bits ^ (bits >> 31 & 0x7fffffff);
  }

  /** In [0, 1), from a 64-bit mix of seed and position (the finaliser of SplitMix64, twice). */
  static double uniform(long seed, long position) {
    long z = mix(mix(seed) + (position + 1) * 0x9e3779b97f4a7c15L);
    return (z >>> 11) * 0x1p-53;
  }

  private static long mix(long z) {
    z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return z ^ z >>> 31;
  }
}
