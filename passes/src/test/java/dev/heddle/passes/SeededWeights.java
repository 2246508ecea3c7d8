package dev.heddle.passes;

import dev.heddle.ir.Op;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.WeightSource;
import java.util.SplittableRandom;

/**
 * Weights decided by tensor name alone: row ranges of a tensor are rows of the whole, in whatever
 * shape they are read.
 */
final class SeededWeights implements WeightSource {
  /** Rows of 32 such values keep the scale of what they multiply. */
  private static final float SCALE = 0.3f;

  private final long seed;

  SeededWeights(long seed) {
    this.seed = seed;
  }

  @Override
  public float[] values(Op.Weight weight, TensorType type) {
    int rank = type.shape().rank();
    int row = rank == 1 ? 1 : Math.toIntExact(type.shape().dim(0).value());
    int size = Math.toIntExact(type.shape().constants());
    SplittableRandom random = new SplittableRandom(seed ^ weight.tensor().hashCode());
    for (long skipped = 0; skipped < weight.rowFrom() * row; skipped++) {
      random.nextInt();
    }
    float[] values = new float[size];
    for (int i = 0; i < size; i++) {
      values[i] = random.nextInt() * 0x1p-31f * SCALE;
    }
    return values;
  }
}
