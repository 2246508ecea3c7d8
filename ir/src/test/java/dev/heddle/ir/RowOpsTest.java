package dev.heddle.ir;

import static dev.heddle.ir.Evaluation.INF;
import static dev.heddle.ir.Evaluation.NAN;
import static dev.heddle.ir.Evaluation.check;
import static dev.heddle.ir.Evaluation.choose;
import static dev.heddle.ir.Evaluation.eval;
import static dev.heddle.ir.Evaluation.eval32;
import static dev.heddle.ir.Evaluation.reals;
import static dev.heddle.ir.Evaluation.row;
import static dev.heddle.ir.Evaluation.shape;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RowOpsTest {
  @Test
  void rmsNormDividesByTheRootMeanSquare() {
    // mean square of (3, 4, 5, 0) is 12.5; with eps 3.5 the root is 4
    check(eval(new Op.RmsNorm(3.5, false), row(3, 4, 5, 0)), shape(1, 4), 0.75, 1, 1.25, 0);
    check(
        eval(new Op.RmsNorm(3.5, true), row(3, 4, 5, 0), reals(shape(4), 1, 2, 4, 9)),
        shape(1, 4),
        0.75,
        2,
        5,
        0);
  }

  @Test
  void rmsNormTakesEachRowAlone() {
    Tensor x = reals(shape(2, 1, 2), 1, -1, 3, NAN);
    check(eval(new Op.RmsNorm(0, false), x), shape(2, 1, 2), 1, -1, NAN, NAN);
  }

  @Test
  void rmsNormOfZerosIsZerosEvenWithATinyEps() {
    check(eval32(new Op.RmsNorm(1e-20, false), row(0, 0)), shape(1, 2), 0, 0);
    // eps 1e-20 is not flushed: mean square 1e-20, root of 2e-20
    check(
        eval(new Op.RmsNorm(1e-20, false), row(1e-10, -1e-10)),
        shape(1, 2),
        Math.sqrt(0.5),
        -Math.sqrt(0.5));
  }

  @Test
  void rmsNormOverflowsToZerosInF32() {
    check(eval32(new Op.RmsNorm(1e-6, false), row(2e19f, 1)), shape(1, 2), 0, 0);
  }

  @Test
  void l2NormAddsEpsUnderTheRoot() {
    check(eval(new Op.L2Norm(11), row(3, 4)), shape(1, 2), 0.5, 4 / 6.0);
    check(eval(new Op.L2Norm(1e-6), row(0, 0)), shape(1, 2), 0, 0);
  }

  @Test
  void softmaxSubtractsTheMaximum() {
    double ln2 = Math.log(2);
    check(eval(new Op.Softmax(), row(1000, 1000 + ln2)), shape(1, 2), 1 / 3.0, 2 / 3.0);
    check(eval(new Op.Softmax(), row(0, -INF)), shape(1, 2), 1, 0);
  }

  @Test
  void softmaxEdges() {
    check(eval(new Op.Softmax(), row(-INF, -INF)), shape(1, 2), 0, 0);
    check(eval(new Op.Softmax(), row(1, NAN)), shape(1, 2), NAN, NAN);
    check(eval(new Op.Softmax(), row(1, INF)), shape(1, 2), NAN, NAN);
    check(eval(new Op.Softmax(), row(NAN, -INF)), shape(1, 2), NAN, NAN);
  }

  @Test
  void reducesRowsToOneValue() {
    Tensor x = reals(shape(2, 3), 1, 2, 6, -1, -5, 0);
    check(eval(new Op.Sum(), x), shape(2, 1), 9, -6);
    check(eval(new Op.Mean(), x), shape(2, 1), 3, -2);
    check(eval(new Op.Max(), x), shape(2, 1), 6, 0);
  }

  @Test
  void nanNeverWinsAMaximum() {
    check(eval(new Op.Max(), row(NAN, -INF, NAN)), shape(1, 1), -INF);
    check(eval(new Op.Max(), row(NAN, NAN)), shape(1, 1), NAN);
    check(eval(new Op.Sum(), row(1, NAN)), shape(1, 1), NAN);
  }

  @Test
  void topKOrdersByValueThenIndex() {
    assertArrayEquals(new int[] {1, 3, 0}, choose(new Op.TopK(3), row(1, 5, 0, 5)));
    assertArrayEquals(new int[] {0, 1}, choose(new Op.TopK(2), row(-0.0, 0.0, -1)));
    assertArrayEquals(
        new int[] {0, 1, 1, 0}, choose(new Op.TopK(2), reals(shape(2, 2), 2, 1, 1, 2)));
  }

  @Test
  void topKPutsNanLast() {
    assertArrayEquals(new int[] {2, 1, 0}, choose(new Op.TopK(3), row(NAN, -INF, INF)));
    assertArrayEquals(new int[] {0, 1}, choose(new Op.TopK(2), row(NAN, NAN, NAN)));
    assertArrayEquals(new int[] {2, 0, 1}, choose(new Op.TopK(3), row(NAN, NAN, -3)));
  }

  @Test
  void argmaxGivesTheLowestIndexAmongEquals() {
    assertArrayEquals(
        new int[] {1, 0, 0}, choose(new Op.Argmax(), reals(shape(3, 2), 1, 2, 7, 7, NAN, NAN)));
    assertArrayEquals(new int[] {1}, choose(new Op.Argmax(), row(NAN, -INF)));
  }

  @Test
  void quantiseRoundsToMultiplesOfTheBlocksScale() {
    double[] x = new double[64];
    x[0] = 127;
    x[1] = 2.5;
    x[32] = -254;
    x[33] = 0.9;
    Tensor.Reals y = eval(new Op.Quantise(), reals(shape(1, 64), x));
    assertEquals(127, y.values()[0]);
    assertEquals(3, y.values()[1]);
    assertEquals(-254, y.values()[32]);
    assertEquals(0, y.values()[33]);
    assertArrayEquals(y.values(), eval(new Op.Dequantise(), y).values());
  }
}
