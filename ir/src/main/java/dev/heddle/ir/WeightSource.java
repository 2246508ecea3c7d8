package dev.heddle.ir;

/** Where the interpreter finds weights. */
@FunctionalInterface
public interface WeightSource {
  /**
   * Dequantised values of (rows of) a tensor, in memory order: the first dimension of {@code type}
   * is contiguous.
   *
   * @param weight tensor and row range; of a tensor with one dimension rows are values
   * @param type type of the rows taken, in GGUF's order
   */
  float[] values(Op.Weight weight, TensorType type);
}
