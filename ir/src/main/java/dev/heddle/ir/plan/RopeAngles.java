package dev.heddle.ir.plan;

import dev.heddle.ir.Op;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The one definition of rope's cosines and sines, for the interpreter and for tables of the
 * runtime: everything in f64, each cosine and sine rounded once to f32.
 *
 * <p>Pair i of position p turns by {@code theta_i = p base^(-2i/dims) / factors[i]}, then scaled:
 *
 * <ul>
 *   <li>linear: {@code theta / factor}.
 *   <li>yarn (Peng et al. 2023): {@code theta (1/factor (1 - r) + r)}, where r falls from 1 to 0
 *       between the pairs that turn betaFast and betaSlow times within the original context;
 *       cosines and sines are multiplied by {@code attnFactor (1 + 0.1 ln factor)}.
 * </ul>
 *
 * A frequency factor of 1e30 means "do not rotate": the angle is below any f32's resolution.
 */
public final class RopeAngles {
  /** Least width of yarn's ramp, so that equal ends do not divide by zero. */
  private static final double LEAST_RAMP = 0.001;

  private RopeAngles() {}

  /** Number of floats of one position's row: a cosine and a sine for each of dims/2 pairs. */
  public static int rowFloats(RopeTable table) {
    return table.dims() / 2 * 2;
  }

  /**
   * Writes f32[count, dims/2, 2] (cos, sin) for positions {@code from} .. {@code from + count - 1}.
   *
   * @param factors dims/2 frequency divisors, or null for none
   * @param out where the first row begins at {@code outIndex}
   */
  public static void fill(
      RopeTable table, float[] factors, int from, int count, float[] out, int outIndex) {
    int pairs = table.dims() / 2;
    double[] frequencies = frequencies(table, factors);
    double magnitude = magnitude(table.scaling());
    for (int p = 0; p < count; p++) {
      for (int i = 0; i < pairs; i++) {
        double angle = (from + p) * frequencies[i];
        int at = outIndex + (p * pairs + i) * 2;
        out[at] = (float) (Math.cos(angle) * magnitude);
        out[at + 1] = (float) (Math.sin(angle) * magnitude);
      }
    }
  }

  /**
   * As {@link #fill(RopeTable, float[], int, int, float[], int)}, into native memory in native byte
   * order from its start.
   */
  public static void fill(
      RopeTable table, float[] factors, int from, int count, MemorySegment out) {
    float[] row = new float[rowFloats(table)];
    for (int p = 0; p < count; p++) {
      fill(table, factors, from + p, 1, row, 0);
      long at = (long) p * row.length * Float.BYTES;
      MemorySegment.copy(row, 0, out, ValueLayout.JAVA_FLOAT_UNALIGNED, at, row.length);
    }
  }

  /** Radians a position turns each pair, after factors and scaling. */
  private static double[] frequencies(RopeTable table, float[] factors) {
    int pairs = table.dims() / 2;
    if (factors != null && factors.length != pairs) {
      String dims = "rope over " + table.dims() + " values takes ";
      throw new IllegalArgumentException(dims + pairs + " factors, not " + factors.length);
    }
    double[] frequencies = new double[pairs];
    for (int i = 0; i < pairs; i++) {
      double theta =
          Math.pow(table.base(), -2.0 * i / table.dims()) / (factors == null ? 1 : factors[i]);
      frequencies[i] = theta * slowdown(table, i);
    }
    return frequencies;
  }

  private static double slowdown(RopeTable table, int pair) {
    return switch (table.scaling()) {
      case Op.RopeScaling.None none -> 1;
      case Op.RopeScaling.Linear linear -> 1 / linear.factor();
      case Op.RopeScaling.Yarn yarn -> {
        double low =
            Math.max(0, Math.floor(pairThatTurns(table, yarn.originalContext(), yarn.betaFast())));
        double high =
            Math.min(
                table.dims() - 1,
                Math.ceil(pairThatTurns(table, yarn.originalContext(), yarn.betaSlow())));
        double ramp = 1 - Math.clamp((pair - low) / Math.max(LEAST_RAMP, high - low), 0.0, 1.0);
        yield (1 - ramp) / yarn.factor() + ramp;
      }
    };
  }

  /** The (fractional) pair that turns {@code rotations} times within {@code context} positions. */
  private static double pairThatTurns(RopeTable table, double context, double rotations) {
    return table.dims()
        * Math.log(context / (2 * Math.PI * rotations))
        / (2 * Math.log(table.base()));
  }

  private static double magnitude(Op.RopeScaling scaling) {
    return switch (scaling) {
      case Op.RopeScaling.None none -> 1;
      case Op.RopeScaling.Linear linear -> 1;
      case Op.RopeScaling.Yarn yarn -> yarn.attnFactor() * (1 + 0.1 * Math.log(yarn.factor()));
    };
  }
}
