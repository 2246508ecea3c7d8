package dev.heddle.passes.schedule;

import dev.heddle.ir.Dim;
import dev.heddle.ir.Layout;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.plan.KernelKind.Count;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A type as kernels see it: rows counted by a symbol of the step, and constant dimensions within a
 * row, outermost first.
 *
 * @param count tokens or output rows; empty for values without rows (weights, constants)
 * @param dims constant dimensions of a row
 */
record Rank(Optional<Count> count, List<Long> dims) {
  /** Empty when a symbol stands elsewhere than in front, or is neither T nor R. */
  static Optional<Rank> of(TensorType type) {
    List<Dim> order =
        type.layout() == Layout.ROWS ? type.shape().dims() : type.shape().dims().reversed();
    Optional<Count> count = order.isEmpty() ? Optional.empty() : counted(order.getFirst());
    List<Long> dims = new ArrayList<>();
    for (Dim dim : order.subList(count.isPresent() ? 1 : 0, order.size())) {
      if (!(dim instanceof Dim.Const c)) {
        return Optional.empty();
      }
      dims.add(c.value());
    }
    return Optional.of(new Rank(count, dims));
  }

  private static Optional<Count> counted(Dim dim) {
    return dim.equals(Dim.T)
        ? Optional.of(Count.TOKENS)
        : dim.equals(Dim.R) ? Optional.of(Count.OUT_ROWS) : Optional.empty();
  }

  /** Values of a row. */
  int values() {
    return product(0, dims.size());
  }

  /** The innermost dimension. */
  int inner() {
    return dims.isEmpty() ? 1 : Math.toIntExact(dims.getLast());
  }

  /** Inner rows of a row: the product of all dimensions but the innermost. */
  int perRow() {
    return product(0, Math.max(0, dims.size() - 1));
  }

  /** The product of dimensions {@code from} (inclusive) to {@code to} (exclusive). */
  int product(int from, int to) {
    long product = 1;
    for (int i = from; i < to; i++) {
      product = Math.multiplyExact(product, dims.get(i));
    }
    return Math.toIntExact(product);
  }
}
