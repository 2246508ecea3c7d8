package dev.heddle.ir;

/**
 * Embedding rows and matrix products. Weights are row-major [.., out, in]; sums run in index order.
 */
final class Products {
  private Products() {}

  static Tensor.Reals embed(Precision p, double scale, Tensor.Reals w, Tensor.Ints ids) {
    int vocabulary = w.dim(0);
    int n = w.dim(1);
    Tensor.Reals y = Tensor.Reals.zeros(ids.dim(0), n);
    for (int t = 0; t < ids.dim(0); t++) {
      int id = ids.values()[t];
      if (id < 0 || id >= vocabulary) {
        throw new IllegalArgumentException(
            "token id " + id + " is outside 0 .. " + (vocabulary - 1));
      }
      for (int i = 0; i < n; i++) {
        y.values()[t * n + i] = p.round(scale * w.values()[id * n + i]);
      }
    }
    return y;
  }

  /** scale * W x + bias; bias and scale may be null. */
  static Tensor.Reals matmul(
      Precision p, Tensor.Reals w, Tensor.Reals x, Tensor.Reals bias, Tensor.Reals scale) {
    int m = w.dim(0);
    int n = w.dim(1);
    int[] shape = x.shape().clone();
    shape[shape.length - 1] = m;
    Tensor.Reals y = Tensor.Reals.zeros(shape);
    for (int row = 0; row < x.size() / n; row++) {
      for (int o = 0; o < m; o++) {
        double sum = dot(p, w.values(), o * n, x.values(), row * n, n);
        y.values()[row * m + o] = finish(p, sum, bias, o, scale, 0);
      }
    }
    return y;
  }

  /** x [T, n] or [T, K, n]; an id below 0 gives a row of zeros. */
  static Tensor.Reals matmulId(
      Precision p,
      Tensor.Reals w,
      Tensor.Reals x,
      Tensor.Ints ids,
      Tensor.Reals bias,
      Tensor.Reals scale) {
    int experts = w.dim(0);
    int m = w.dim(1);
    int n = w.dim(2);
    int used = ids.dim(1);
    boolean perExpert = x.shape().length == 3;
    Tensor.Reals y = Tensor.Reals.zeros(ids.dim(0), used, m);
    for (int slot = 0; slot < ids.size(); slot++) {
      int e = ids.values()[slot];
      if (e >= experts) {
        throw new IllegalArgumentException("expert id " + e + " is outside 0 .. " + (experts - 1));
      }
      int row = perExpert ? slot : slot / used;
      for (int o = 0; e >= 0 && o < m; o++) {
        double sum = dot(p, w.values(), (e * m + o) * n, x.values(), row * n, n);
        y.values()[slot * m + o] = finish(p, sum, bias, e * m + o, scale, e);
      }
    }
    return y;
  }

  /** W [G, m, n], x [T, G, n]. */
  static Tensor.Reals matmulGrouped(Precision p, Tensor.Reals w, Tensor.Reals x) {
    int groups = w.dim(0);
    int m = w.dim(1);
    int n = w.dim(2);
    Tensor.Reals y = Tensor.Reals.zeros(x.dim(0), groups, m);
    for (int row = 0; row < x.dim(0) * groups; row++) {
      for (int o = 0; o < m; o++) {
        y.values()[row * m + o] =
            dot(p, w.values(), (row % groups * m + o) * n, x.values(), row * n, n);
      }
    }
    return y;
  }

  private static double finish(
      Precision p, double sum, Tensor.Reals bias, int biasAt, Tensor.Reals scale, int scaleAt) {
    double scaled = scale == null ? sum : p.round(scale.values()[scaleAt] * sum);
    return bias == null ? scaled : p.round(scaled + bias.values()[biasAt]);
  }

  static double dot(Precision p, double[] a, int aFrom, double[] b, int bFrom, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
      sum = p.round(sum + p.round(a[aFrom + i] * b[bFrom + i]));
    }
    return sum;
  }
}
