package dev.heddle.ir;

import static dev.heddle.ir.Evaluation.INF;
import static dev.heddle.ir.Evaluation.NAN;
import static dev.heddle.ir.Evaluation.check;
import static dev.heddle.ir.Evaluation.eval;
import static dev.heddle.ir.Evaluation.ints;
import static dev.heddle.ir.Evaluation.reals;
import static dev.heddle.ir.Evaluation.shape;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class LayoutTest {
  private static final StepInput TWO_TOKENS =
      new StepInput(
          new int[] {5, 6},
          new int[] {0, 1},
          new int[] {0, 0},
          new int[] {1},
          List.of(new SequenceState()));

  private static Tensor.Reals as(TensorType type, Op op, Tensor... inputs) {
    Interpreter interpreter =
        new Interpreter(Precision.F64, (w, t) -> new float[] {1, 2, 3, 4, 5, 6}, TWO_TOKENS);
    return (Tensor.Reals) interpreter.evaluate(op, List.of(type), List.of(inputs)).get(0);
  }

  @Test
  void inputsAreWhatTheStepBrings() {
    List<SequenceState> sequences = List.of(new SequenceState(), new SequenceState());
    StepInput step =
        new StepInput(
            new int[] {5, 6}, new int[] {0, 3}, new int[] {1, 0}, new int[] {1}, sequences);
    Op.InputKind[] kinds = {
      Op.InputKind.IDS, Op.InputKind.POS, Op.InputKind.SEQ, Op.InputKind.OUT_ROWS
    };
    int[][] expected = {{5, 6}, {0, 3}, {1, 0}, {1}};
    for (int i = 0; i < kinds.length; i++) {
      Tensor x = Evaluation.all(Precision.F64, step, new Op.Input(kinds[i])).get(0);
      assertArrayEquals(expected[i], ((Tensor.Ints) x).values());
    }
  }

  @Test
  void weightsTurnFromTheFilesOrder() {
    Tensor.Reals w = as(TensorType.weight(DType.F32, 2, 3), Op.Weight.whole("w"));
    check(w, shape(3, 2), 1, 2, 3, 4, 5, 6);
  }

  @Test
  void constantsAreRoundedInF32Only() {
    check(eval(new Op.Constant(0.1)), shape(1), 0.1);
    assertEquals((double) 0.1f, Evaluation.eval32(new Op.Constant(0.1)).values()[0]);
  }

  @Test
  void getRowsGathersRowsOfEachToken() {
    Tensor x = reals(shape(2, 3, 2), 1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60);
    check(
        eval(new Op.GetRows(), x, ints(shape(2, 2), 2, 0, 1, 1)),
        shape(2, 2, 2),
        5,
        6,
        1,
        2,
        30,
        40,
        30,
        40);
  }

  @Test
  void getRowsGathersSingleValues() {
    Tensor x = reals(shape(2, 3), 1, 2, 3, 10, NAN, 30);
    check(eval(new Op.GetRows(), x, ints(shape(2, 2), 2, 0, 1, 2)), shape(2, 2), 3, 1, NAN, 30);
  }

  @Test
  void getRowsTakesNoRowsAndRefusesForeignOnes() {
    check(eval(new Op.GetRows(), reals(shape(0, 3)), ints(shape(0, 2))), shape(0, 2));
    Tensor x = reals(shape(1, 3), 1, 2, 3);
    Exception low =
        assertThrows(
            IllegalArgumentException.class, () -> eval(new Op.GetRows(), x, ints(shape(1, 1), -1)));
    assertEquals("row -1 is outside 0 .. 2", low.getMessage());
    assertThrows(
        IllegalArgumentException.class, () -> eval(new Op.GetRows(), x, ints(shape(1, 1), 3)));
  }

  @Test
  void takeRowsTakesThoseAskedFor() {
    Tensor x = reals(shape(3, 2), 1, 2, 3, 4, NAN, INF);
    check(
        eval(new Op.TakeRows(), x, ints(shape(3), 2, 0, 2)), shape(3, 2), NAN, INF, 1, 2, NAN, INF);
    check(eval(new Op.TakeRows(), x, ints(shape(0))), shape(0, 2));
    check(eval(new Op.TakeRows(), reals(shape(0, 2)), ints(shape(0))), shape(0, 2));
    Exception e =
        assertThrows(
            IllegalArgumentException.class, () -> eval(new Op.TakeRows(), x, ints(shape(1), 3)));
    assertEquals("out row 3 is outside the step's 3 tokens", e.getMessage());
  }

  @Test
  void reshapeKeepsTheOrderOfValues() {
    Op.Reshape op = new Op.Reshape(Shape.of(Dim.T, Dim.of(2), Dim.of(2)));
    Tensor x = reals(shape(2, 4), 1, 2, 3, 4, 5, 6, 7, 8);
    check(
        as(TensorType.f32(Dim.T, Dim.of(2), Dim.of(2)), op, x),
        shape(2, 2, 2),
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8);
    // {2, 3} of a file is [3, 2] of rows; {6} joins them
    Tensor w = reals(shape(3, 2), 1, 2, 3, 4, 5, 6);
    check(
        as(TensorType.weight(DType.F32, 6), new Op.Reshape(Shape.of(6)), w),
        shape(6),
        1,
        2,
        3,
        4,
        5,
        6);
  }

  @Test
  void sliceTakesARangeOfADimension() {
    Tensor x = reals(shape(2, 3), 1, 2, 3, 4, 5, 6);
    check(as(TensorType.f32(Dim.T, Dim.of(2)), new Op.Slice(-1, 1, 3), x), shape(2, 2), 2, 3, 5, 6);
    Tensor cube = reals(shape(2, 2, 2), 1, 2, 3, 4, 5, 6, 7, 8);
    TensorType half = TensorType.f32(Dim.T, Dim.of(1), Dim.of(2));
    check(as(half, new Op.Slice(1, 1, 2), cube), shape(2, 1, 2), 3, 4, 7, 8);
  }

  @Test
  void sliceCountsAWeightsDimensionsFromTheInnermost() {
    Tensor w = reals(shape(3, 2), 1, 2, 3, 4, 5, 6);
    check(
        as(TensorType.weight(DType.F32, 2, 2), new Op.Slice(1, 1, 3), w), shape(2, 2), 3, 4, 5, 6);
    check(as(TensorType.weight(DType.F32, 1, 3), new Op.Slice(0, 1, 2), w), shape(3, 1), 2, 4, 6);
  }

  @Test
  void concatJoinsAlongADimension() {
    Tensor x = reals(shape(2, 1), 1, 2);
    Tensor y = reals(shape(2, 2), 3, 4, 5, 6);
    check(
        as(TensorType.f32(Dim.T, Dim.of(4)), new Op.Concat(-1), x, y, x),
        shape(2, 4),
        1,
        3,
        4,
        1,
        2,
        5,
        6,
        2);
    Tensor a = reals(shape(2, 1, 2), 1, 2, 3, 4);
    TensorType stacked = TensorType.f32(Dim.T, Dim.of(2), Dim.of(2));
    check(as(stacked, new Op.Concat(1), a, a), shape(2, 2, 2), 1, 2, 1, 2, 3, 4, 3, 4);
  }

  @Test
  void captureIsTheSameValue() {
    Tensor x = reals(shape(1, 2), NAN, -0.0);
    assertSame(
        x, Evaluation.all(Precision.F32, Evaluation.NO_STEP, new Op.Capture("hidden"), x).get(0));
  }
}
