package dev.heddle.ir;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Arrays;
import java.util.List;

/** Short ways to evaluate single ops in tests. */
final class Evaluation {
  static final double INF = Double.POSITIVE_INFINITY;
  static final double NAN = Double.NaN;
  static final StepInput NO_STEP = StepInput.of(new SequenceState(), 0);

  private Evaluation() {}

  static Tensor.Reals reals(int[] shape, double... values) {
    return new Tensor.Reals(values, shape);
  }

  static Tensor.Reals row(double... values) {
    return new Tensor.Reals(values, 1, values.length);
  }

  static Tensor.Ints ints(int[] shape, int... values) {
    return new Tensor.Ints(values, shape);
  }

  static int[] shape(int... dims) {
    return dims;
  }

  static List<Tensor> all(Precision precision, StepInput step, Op op, Tensor... inputs) {
    return new Interpreter(precision, (w, type) -> new float[0], step)
        .evaluate(op, List.of(), List.of(inputs));
  }

  /** The first result in f64. */
  static Tensor.Reals eval(Op op, Tensor... inputs) {
    return (Tensor.Reals) all(Precision.F64, NO_STEP, op, inputs).get(0);
  }

  static Tensor.Reals eval32(Op op, Tensor... inputs) {
    return (Tensor.Reals) all(Precision.F32, NO_STEP, op, inputs).get(0);
  }

  static int[] choose(Op op, Tensor... inputs) {
    return ((Tensor.Ints) all(Precision.F64, NO_STEP, op, inputs).get(0)).values();
  }

  static void check(Tensor.Reals actual, int[] shape, double... values) {
    assertArrayEquals(shape, actual.shape(), () -> Arrays.toString(actual.shape()));
    assertArrayEquals(values, actual.values(), 1e-12, actual::toString);
  }
}
