package dev.heddle.ir;

import static dev.heddle.ir.Evaluation.check;
import static dev.heddle.ir.Evaluation.eval;
import static dev.heddle.ir.Evaluation.ints;
import static dev.heddle.ir.Evaluation.reals;
import static dev.heddle.ir.Evaluation.shape;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class RopeTest {
  private static final Op.RopeScaling NONE = new Op.RopeScaling.None();

  private static Op.Rope op(Op.RopeKind kind, int dims, Op.RopeScaling scaling, boolean factors) {
    List<Integer> sections = kind == Op.RopeKind.IMROPE ? List.of(1, 1, 0, 0) : List.of();
    return new Op.Rope(kind, dims, 100, scaling, sections, factors);
  }

  private static double cos(double angle) {
    return (float) Math.cos(angle);
  }

  private static double sin(double angle) {
    return (float) Math.sin(angle);
  }

  @Test
  void normTurnsNeighbours() {
    // base 100, 4 values: angles 3 and 0.3 at position 3
    Tensor x = reals(shape(1, 1, 4), 1, 0, 0, 2);
    double[] y = {cos(3), sin(3), -2 * sin(0.3), 2 * cos(0.3)};
    check(eval(op(Op.RopeKind.NORM, 4, NONE, false), x, ints(shape(1), 3)), shape(1, 1, 4), y);
  }

  @Test
  void neoxAndImropeTurnHalves() {
    Tensor x = reals(shape(1, 1, 4), 1, 0, 0, 2);
    double[] y = {cos(3), -2 * sin(0.3), sin(3), 2 * cos(0.3)};
    check(eval(op(Op.RopeKind.NEOX, 4, NONE, false), x, ints(shape(1), 3)), shape(1, 1, 4), y);
    check(eval(op(Op.RopeKind.IMROPE, 4, NONE, false), x, ints(shape(1), 3)), shape(1, 1, 4), y);
  }

  @Test
  void valuesBeyondDimsPassUnchanged() {
    Tensor x = reals(shape(1, 1, 6), 1, 0, 0, 2, 7, 8);
    double[] neox = {cos(3), -2 * sin(0.3), sin(3), 2 * cos(0.3), 7, 8};
    check(eval(op(Op.RopeKind.NEOX, 4, NONE, false), x, ints(shape(1), 3)), shape(1, 1, 6), neox);
    double[] norm = {cos(3), sin(3), 0, 2, 7, 8};
    check(eval(op(Op.RopeKind.NORM, 2, NONE, false), x, ints(shape(1), 3)), shape(1, 1, 6), norm);
  }

  @Test
  void everyHeadTurnsByItsTokensPosition() {
    Tensor x = reals(shape(2, 2, 2), 1, 0, 0, 1, 1, 0, 0, 1);
    double[] y = {1, 0, 0, 1, cos(5), sin(5), -sin(5), cos(5)};
    check(eval(op(Op.RopeKind.NORM, 2, NONE, false), x, ints(shape(2), 0, 5)), shape(2, 2, 2), y);
  }

  @Test
  void linearScalingDividesAngles() {
    Tensor x = reals(shape(1, 1, 2), 1, 0);
    Op.Rope op = op(Op.RopeKind.NORM, 2, new Op.RopeScaling.Linear(4), false);
    check(eval(op, x, ints(shape(1), 3)), shape(1, 1, 2), cos(0.75), sin(0.75));
  }

  @Test
  void yarnBlendsAnglesAndScalesTurnedValuesOnly() {
    // base 100, 4 values, context 200 pi: 100 turns fit at pair 0, 1 turn at pair 2; pair 0 keeps
    // its angle, pair 1 is half way
    Op.RopeScaling yarn = new Op.RopeScaling.Yarn(4, 200 * Math.PI, 2, 100, 1);
    double m = 2 * (1 + 0.1 * Math.log(4));
    Tensor x = reals(shape(1, 1, 5), 1, 1, 0, 0, 9);
    double[] y = eval(op(Op.RopeKind.NEOX, 4, yarn, false), x, ints(shape(1), 3)).values();
    double second = 0.3 * (0.25 + 1) / 2;
    assertArrayEquals(
        new double[] {
          m * Math.cos(3), m * Math.cos(second), m * Math.sin(3), m * Math.sin(second), 9
        },
        y,
        1e-6);
  }

  @Test
  void factorsDivideAnglesAndHugeOnesDoNotTurn() {
    Tensor x = reals(shape(1, 1, 4), 1, 3, 0, 2);
    Tensor factors = reals(shape(2), 2, 1e30);
    Tensor.Reals y = eval(op(Op.RopeKind.NEOX, 4, NONE, true), x, ints(shape(1), 3), factors);
    check(y, shape(1, 1, 4), cos(1.5), 3, sin(1.5), 2);
  }

  @Test
  void noTokensGiveNoRows() {
    assertEquals(
        0,
        eval(op(Op.RopeKind.NEOX, 4, NONE, false), reals(shape(0, 2, 4)), ints(shape(0))).size());
  }
}
