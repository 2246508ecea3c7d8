package dev.heddle.passes.schedule;

import dev.heddle.ir.Op;
import dev.heddle.ir.plan.KernelKind.Binary;
import dev.heddle.ir.plan.KernelKind.BinaryKernel;
import dev.heddle.ir.plan.KernelKind.Broadcast;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.KernelKind.Unary;
import dev.heddle.ir.plan.KernelKind.UnaryKernel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Kernels of elementwise ops. */
final class Elementwise {
  private Elementwise() {}

  /** The kernel of a function of one input. */
  static UnaryKernel unary(Op op, Count count, int n) {
    return switch (op) {
      case Op.Scale s -> new UnaryKernel(count, n, Unary.SCALE, s.c(), 0);
      case Op.Clamp c -> new UnaryKernel(count, n, Unary.CLAMP, c.min(), c.max());
      case Op.Softcap s -> new UnaryKernel(count, n, Unary.SOFTCAP, s.c(), 0);
      default ->
          new UnaryKernel(
              count, n, Unary.valueOf(op.text().toUpperCase(java.util.Locale.ROOT)), 0, 0);
    };
  }

  /**
   * The kernel of a function of two inputs, or empty when y broadcasts in a way that no kernel
   * reads.
   */
  static Optional<BinaryKernel> binary(Binary function, Rank x, Rank y) {
    Count count = x.count().orElseThrow();
    List<Long> xs = x.dims();
    List<Long> ys = padded(y.dims(), xs.size());
    if (y.count().isPresent()) {
      if (ys.equals(xs)) {
        return Optional.of(
            new BinaryKernel(count, x.perRow(), x.inner(), function, Broadcast.NONE));
      }
      int ones = leading(ys, xs);
      return allOnes(ys, ones, ys.size())
          ? Optional.of(
              new BinaryKernel(
                  count, x.product(0, ones), x.product(ones, xs.size()), function, Broadcast.INNER))
          : Optional.empty();
    }
    if (allOnes(ys, 0, ys.size())) {
      return Optional.of(
          new BinaryKernel(count, x.perRow(), x.inner(), function, Broadcast.SCALAR));
    }
    int whole = xs.size();
    while (whole > 0 && ys.get(whole - 1).equals(xs.get(whole - 1))) {
      whole--;
    }
    return allOnes(ys, 0, whole)
        ? Optional.of(
            new BinaryKernel(
                count, x.product(0, whole), x.product(whole, xs.size()), function, Broadcast.OUTER))
        : Optional.empty();
  }

  private static List<Long> padded(List<Long> dims, int size) {
    List<Long> list = new ArrayList<>(dims);
    while (list.size() < size) {
      list.addFirst(1L);
    }
    return list;
  }

  private static int leading(List<Long> a, List<Long> b) {
    int equal = 0;
    while (equal < b.size() && a.get(equal).equals(b.get(equal))) {
      equal++;
    }
    return equal;
  }

  private static boolean allOnes(List<Long> dims, int from, int to) {
    return dims.subList(from, to).stream().allMatch(d -> d == 1);
  }
}
