package dev.heddle.ir;

import java.util.Arrays;
import java.util.List;

/** Gathers, slices, joins: values move, none is computed. */
final class LayoutOps {
  private LayoutOps() {}

  /** x [.., m, n] by idx [.., k] gives [.., k, n]; x [.., m] of idx's rank gives [.., k]. */
  static Tensor.Reals getRows(Tensor.Reals x, Tensor.Ints idx) {
    boolean single = x.shape().length == idx.shape().length;
    int n = single ? 1 : x.dim(-1);
    int m = x.dim(single ? -1 : -2);
    int k = idx.dim(-1);
    int[] shape = Arrays.copyOf(idx.shape(), x.shape().length);
    if (!single) {
      shape[shape.length - 1] = n;
    }
    Tensor.Reals y = Tensor.Reals.zeros(shape);
    for (int i = 0; i < idx.size(); i++) {
      int row = idx.values()[i];
      if (row < 0 || row >= m) {
        throw new IllegalArgumentException("row " + row + " is outside 0 .. " + (m - 1));
      }
      System.arraycopy(x.values(), (i / k * m + row) * n, y.values(), i * n, n);
    }
    return y;
  }

  /** x [T, ..] by rows [R] gives [R, ..]. */
  static Tensor.Reals takeRows(Tensor.Reals x, Tensor.Ints rows) {
    int[] shape = x.shape().clone();
    shape[0] = 1;
    int n = Tensor.size(shape);
    shape[0] = rows.dim(0);
    Tensor.Reals y = Tensor.Reals.zeros(shape);
    for (int r = 0; r < rows.dim(0); r++) {
      int row = rows.values()[r];
      if (row < 0 || row >= x.dim(0)) {
        throw new IllegalArgumentException(
            "out row " + row + " is outside the step's " + x.dim(0) + " tokens");
      }
      System.arraycopy(x.values(), row * n, y.values(), r * n, n);
    }
    return y;
  }

  /** {@code dim} counts outermost first. */
  static Tensor.Reals slice(Tensor.Reals x, int dim, int from, int to) {
    int[] shape = x.shape().clone();
    shape[dim] = to - from;
    Tensor.Reals y = Tensor.Reals.zeros(shape);
    int inner = Tensor.size(Arrays.copyOfRange(shape, dim + 1, shape.length));
    int outer = Tensor.size(Arrays.copyOf(shape, dim));
    for (int o = 0; o < outer; o++) {
      int source = (o * x.dim(dim) + from) * inner;
      System.arraycopy(
          x.values(), source, y.values(), o * (to - from) * inner, (to - from) * inner);
    }
    return y;
  }

  /** {@code dim} counts outermost first. */
  static Tensor.Reals concat(List<Tensor.Reals> parts, int dim) {
    int[] shape = parts.get(0).shape().clone();
    shape[dim] = parts.stream().mapToInt(x -> x.dim(dim)).sum();
    Tensor.Reals y = Tensor.Reals.zeros(shape);
    int inner = Tensor.size(Arrays.copyOfRange(shape, dim + 1, shape.length));
    int outer = Tensor.size(Arrays.copyOf(shape, dim));
    int at = 0;
    for (Tensor.Reals x : parts) {
      int run = x.dim(dim) * inner;
      for (int o = 0; o < outer; o++) {
        System.arraycopy(x.values(), o * run, y.values(), o * shape[dim] * inner + at, run);
      }
      at += run;
    }
    return y;
  }
}
