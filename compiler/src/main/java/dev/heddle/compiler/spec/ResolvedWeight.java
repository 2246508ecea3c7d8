package dev.heddle.compiler.spec;

import dev.heddle.ir.DType;
import dev.heddle.ir.TensorType;
import java.util.List;

/**
 * A spec's weight, found in a model.
 *
 * @param name as the spec calls it ("blk.q")
 * @param declared where the spec declares it
 * @param tensor the GGUF tensor
 * @param stored its element type
 * @param ne all dimensions of the tensor, innermost first
 * @param rowFrom first row taken
 * @param rowTo end of the rows taken, exclusive; -1 = whole tensor
 * @param shape dimensions of what is taken, as the spec declares them
 * @param scale name of the tensor that scales its products, or null
 */
record ResolvedWeight(
    String name,
    Span declared,
    String tensor,
    DType stored,
    List<Long> ne,
    long rowFrom,
    long rowTo,
    List<Long> shape,
    String scale) {

  /** Type of what is taken. */
  TensorType type() {
    return TensorType.weight(stored, shape.stream().mapToLong(Long::longValue).toArray());
  }

  boolean isWhole() {
    return rowTo < 0;
  }
}
