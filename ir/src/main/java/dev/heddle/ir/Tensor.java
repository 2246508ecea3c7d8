package dev.heddle.ir;

import java.util.Arrays;

/**
 * A value of the interpreter. Shapes are concrete and outermost first, whatever the layout; values
 * are row-major.
 */
public sealed interface Tensor {
  /** Dimensions, outermost first. */
  int[] shape();

  /** Dimension {@code i}, counted from the end when negative. */
  default int dim(int i) {
    return shape()[i < 0 ? shape().length + i : i];
  }

  /** Number of values. */
  default int size() {
    return size(shape());
  }

  /** Product of dimensions. */
  static int size(int... shape) {
    int size = 1;
    for (int d : shape) {
      size = Math.multiplyExact(size, d);
    }
    return size;
  }

  /** Real numbers: activations, dequantised weights, and q8_1 rows by the values they stand for. */
  record Reals(double[] values, int... shape) implements Tensor {
    public Reals {
      checkSize(values.length, shape);
    }

    /** Zeros. */
    public static Reals zeros(int... shape) {
      return new Reals(new double[Tensor.size(shape)], shape);
    }

    /** The values rounded to f32. */
    public float[] toFloats() {
      float[] floats = new float[values.length];
      for (int i = 0; i < floats.length; i++) {
        floats[i] = (float) values[i];
      }
      return floats;
    }

    @Override
    public String toString() {
      return Arrays.toString(shape) + Arrays.toString(values);
    }
  }

  /** Integers: token ids, positions, expert ids. */
  record Ints(int[] values, int... shape) implements Tensor {
    public Ints {
      checkSize(values.length, shape);
    }

    @Override
    public String toString() {
      return Arrays.toString(shape) + Arrays.toString(values);
    }
  }

  /**
   * A version of a state. Its rows live in the step's {@link SequenceState}s; appending writes them
   * in place.
   */
  record Cache(String name, TensorType type) implements Tensor {
    /** Dimensions of one position's row. */
    @Override
    public int[] shape() {
      return type.shape().dims().stream()
          .skip(1)
          .mapToInt(d -> Math.toIntExact(d.value()))
          .toArray();
    }
  }

  private static void checkSize(int values, int[] shape) {
    if (values != size(shape)) {
      throw new IllegalArgumentException(
          values + " values do not fill the shape " + Arrays.toString(shape));
    }
  }
}
