package dev.heddle.ir;

import java.util.SplittableRandom;

/**
 * Weights of any name and shape, from a seed: values within 1 of zero, rounded so that they are
 * f32.
 */
record SeededWeights(long seed) implements WeightSource {
  @Override
  public float[] values(Op.Weight weight, TensorType type) {
    SplittableRandom random = new SplittableRandom(seed * 31 + weight.hashCode());
    float[] values = new float[Math.toIntExact(type.shape().constants())];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) random.nextDouble(-1, 1);
    }
    return values;
  }
}
