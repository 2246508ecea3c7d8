package dev.heddle.ir;

import java.util.Arrays;
import java.util.function.ToDoubleFunction;

/** Ops that walk the innermost dimension: norms, softmax, reductions, choices. */
final class RowOps {
  private RowOps() {}

  /** x rsqrt(mean x^2 + eps) w; w may be null. */
  static Tensor.Reals rmsNorm(Precision p, double eps, Tensor.Reals x, Tensor.Reals w) {
    int n = x.dim(-1);
    Tensor.Reals y = Tensor.Reals.zeros(x.shape());
    for (int row = 0; row < x.size() / n; row++) {
      double mean = p.round(Products.dot(p, x.values(), row * n, x.values(), row * n, n) / n);
      double r = p.round(1 / Math.sqrt(p.round(mean + p.round(eps))));
      for (int i = 0; i < n; i++) {
        double scaled = p.round(x.values()[row * n + i] * r);
        y.values()[row * n + i] = w == null ? scaled : p.round(scaled * w.values()[i]);
      }
    }
    return y;
  }

  /** x / sqrt(sum x^2 + eps). */
  static Tensor.Reals l2Norm(Precision p, double eps, Tensor.Reals x) {
    int n = x.dim(-1);
    Tensor.Reals y = Tensor.Reals.zeros(x.shape());
    for (int row = 0; row < x.size() / n; row++) {
      double sum = Products.dot(p, x.values(), row * n, x.values(), row * n, n);
      double length = p.round(Math.sqrt(p.round(sum + p.round(eps))));
      for (int i = 0; i < n; i++) {
        y.values()[row * n + i] = p.round(x.values()[row * n + i] / length);
      }
    }
    return y;
  }

  static Tensor.Reals softmax(Precision p, Tensor.Reals x) {
    int n = x.dim(-1);
    Tensor.Reals y = Tensor.Reals.zeros(x.shape());
    for (int row = 0; row < x.size() / n; row++) {
      double[] weights = softmax(p, rowOf(x, row));
      System.arraycopy(weights, 0, y.values(), row * n, n);
    }
    return y;
  }

  /** A row of -inf only gives zeros; a NaN or a +inf makes the row NaN. */
  static double[] softmax(Precision p, double[] x) {
    double[] e = new double[x.length];
    double most = max(x);
    if (most == Double.NEGATIVE_INFINITY && allNegativeInfinity(x)) {
      return e;
    }
    double sum = 0;
    for (int i = 0; i < x.length; i++) {
      e[i] = p.round(Math.exp(p.round(x[i] - most)));
      sum = p.round(sum + e[i]);
    }
    for (int i = 0; i < x.length; i++) {
      e[i] = p.round(e[i] / sum);
    }
    return e;
  }

  private static boolean allNegativeInfinity(double[] x) {
    for (double v : x) {
      if (v != Double.NEGATIVE_INFINITY) {
        return false;
      }
    }
    return true;
  }

  /** The largest number; NaN only if all are. */
  static double max(double[] x) {
    double most = Double.NaN;
    for (double v : x) {
      if (Double.isNaN(most) || v > most) {
        most = v;
      }
    }
    return most;
  }

  static double sum(Precision p, double[] x) {
    double sum = 0;
    for (double v : x) {
      sum = p.round(sum + v);
    }
    return sum;
  }

  /** One value a row, which becomes a dimension of 1. */
  static Tensor.Reals reduce(Tensor.Reals x, ToDoubleFunction<double[]> f) {
    int[] shape = x.shape().clone();
    shape[shape.length - 1] = 1;
    Tensor.Reals y = Tensor.Reals.zeros(shape);
    for (int row = 0; row < y.size(); row++) {
      y.values()[row] = f.applyAsDouble(rowOf(x, row));
    }
    return y;
  }

  static Tensor.Ints topK(Tensor.Reals x, int k) {
    int[] shape = x.shape().clone();
    shape[shape.length - 1] = k;
    int[] ids = new int[Tensor.size(shape)];
    for (int row = 0; row < ids.length / k; row++) {
      System.arraycopy(topK(rowOf(x, row), k), 0, ids, row * k, k);
    }
    return new Tensor.Ints(ids, shape);
  }

  /** Value descending, then index ascending; NaN last. */
  static int[] topK(double[] x, int k) {
    int[] ids = new int[k];
    boolean[] taken = new boolean[x.length];
    for (int rank = 0; rank < k; rank++) {
      int best = -1;
      for (int i = 0; i < x.length; i++) {
        boolean wins = best < 0 || x[i] > x[best] || Double.isNaN(x[best]) && !Double.isNaN(x[i]);
        if (!taken[i] && wins) {
          best = i;
        }
      }
      taken[best] = true;
      ids[rank] = best;
    }
    return ids;
  }

  static Tensor.Ints argmax(Tensor.Reals x) {
    Tensor.Ints first = topK(x, 1);
    return new Tensor.Ints(first.values(), Arrays.copyOf(x.shape(), x.shape().length - 1));
  }

  static double[] rowOf(Tensor.Reals x, int row) {
    int n = x.dim(-1);
    return Arrays.copyOfRange(x.values(), row * n, row * n + n);
  }

  /** q8_1 rows by their values: each block rounded to multiples of its scale. */
  static Tensor.Reals quantise(Precision p, Tensor.Reals x) {
    float[] floats = x.toFloats();
    double[] out = new double[floats.length];
    for (int block = 0; block < floats.length; block += Q81.BLOCK) {
      float d = Q81.scale(floats, block);
      for (int i = block; i < block + Q81.BLOCK; i++) {
        out[i] = p.round((double) d * Q81.quantise(floats[i], d));
      }
    }
    return new Tensor.Reals(out, x.shape());
  }
}
