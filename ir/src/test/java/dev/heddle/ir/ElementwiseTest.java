package dev.heddle.ir;

import static dev.heddle.ir.Evaluation.INF;
import static dev.heddle.ir.Evaluation.NAN;
import static dev.heddle.ir.Evaluation.check;
import static dev.heddle.ir.Evaluation.eval;
import static dev.heddle.ir.Evaluation.eval32;
import static dev.heddle.ir.Evaluation.reals;
import static dev.heddle.ir.Evaluation.row;
import static dev.heddle.ir.Evaluation.shape;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ElementwiseTest {
  private static final int[] THREE = {1, 3};

  @Test
  void addsSubtractsMultipliesDivides() {
    Tensor x = row(6, -4, 1);
    Tensor y = row(2, 4, 0);
    check(eval(new Op.Add(), x, y), THREE, 8, 0, 1);
    check(eval(new Op.Sub(), x, y), THREE, 4, -8, 1);
    check(eval(new Op.Mul(), x, y), THREE, 12, -16, 0);
    check(eval(new Op.Div(), x, y), THREE, 3, -1, INF);
  }

  @Test
  void broadcastsTheSecondOperandFromTheInnermostDimension() {
    Tensor x = reals(shape(2, 2, 2), 1, 2, 3, 4, 5, 6, 7, 8);
    check(
        eval(new Op.Add(), x, reals(shape(2), 10, 20)),
        shape(2, 2, 2),
        11,
        22,
        13,
        24,
        15,
        26,
        17,
        28);
    check(eval(new Op.Mul(), x, reals(shape(1), 2)), shape(2, 2, 2), 2, 4, 6, 8, 10, 12, 14, 16);
    check(
        eval(new Op.Add(), x, reals(shape(2, 2, 1), 0, 10, 20, 30)),
        shape(2, 2, 2),
        1,
        2,
        13,
        14,
        25,
        26,
        37,
        38);
    check(
        eval(new Op.Add(), x, reals(shape(2, 1, 2), 0, 10, 20, 30)),
        shape(2, 2, 2),
        1,
        12,
        3,
        14,
        25,
        36,
        27,
        38);
  }

  @Test
  void appliesSimpleFunctions() {
    check(eval(new Op.Scale(-2), row(1, 0, NAN)), THREE, -2, 0, NAN);
    check(eval(new Op.Clamp(-1, 2), row(-5, 5, NAN)), THREE, -1, 2, NAN);
    check(eval(new Op.Clamp(0x1p-14, INF), row(0, 1, INF)), THREE, 6.103515625e-5, 1, INF);
    check(eval(new Op.Neg(), row(1, -2, 0)), THREE, -1, 2, -0.0);
    check(eval(new Op.Abs(), row(1, -2, -INF)), THREE, 1, 2, INF);
    check(eval(new Op.Exp(), row(0, 1, -INF)), THREE, 1, 2.718281828459045, 0);
    check(eval(new Op.Sqrt(), row(4, 2, -1)), THREE, 2, 1.4142135623730951, NAN);
    check(eval(new Op.Tanh(), row(0, INF, -INF)), THREE, 0, 1, -1);
    check(eval(new Op.Relu(), row(-1, 2, NAN)), THREE, 0, 2, NAN);
    check(eval(new Op.Softcap(30), row(0, 1e9, 30)), THREE, 0, 30, 30 * 0.7615941559557649);
  }

  @Test
  void activationsHaveTheirLimits() {
    check(eval(new Op.Sigmoid(), row(0, -1000, 1000)), THREE, 0.5, 0, 1);
    check(eval(new Op.Silu(), row(0, 1, -1000)), THREE, 0, 0.7310585786300049, 0);
    check(
        eval(new Op.GeluTanh(), row(1, -1, 0)), THREE, 0.8411919906082768, -0.15880800939172324, 0);
    check(
        eval(new Op.GeluErf(), row(1, -1, 10)),
        THREE,
        0.8413447460685429,
        -0.15865525393145707,
        10);
    check(eval(new Op.Softplus(), row(0, 25, -800)), THREE, 0.6931471805599453, 25, 0);
  }

  @Test
  void erfMatchesTabulatedValues() {
    assertEquals(0.5204998778130465, Elementwise.erf(0.5), 1e-15);
    assertEquals(-0.9953222650189527, Elementwise.erf(-2), 1e-15);
    assertEquals(0.9999999845827421, Elementwise.erf(4), 1e-15);
    assertEquals(1, Elementwise.erf(7));
    assertEquals(0, Elementwise.erf(0));
    assertEquals(NAN, Elementwise.erf(NAN));
  }

  @Test
  void gluMultipliesTheActivatedGate() {
    Tensor gate = row(1, -1, 0);
    Tensor up = row(2, 2, 5);
    check(eval(new Op.Glu(Op.Act.RELU), gate, up), THREE, 2, 0, 0);
    check(
        eval(new Op.Glu(Op.Act.SILU), gate, up), THREE, 1.4621171572600098, -0.5378828427399902, 0);
    check(
        eval(new Op.Glu(Op.Act.GELU_TANH), gate, up),
        THREE,
        1.6823839812165535,
        -0.3176160187834465,
        0);
    check(
        eval(new Op.Glu(Op.Act.GELU_ERF), gate, up),
        THREE,
        1.6826894921370859,
        -0.31731050786291415,
        0);
  }

  @Test
  void f32RoundsEveryResult() {
    assertEquals((double) 0.3f, eval32(new Op.Scale(0.1), row(3)).values()[0], 0);
    assertEquals(INF, eval32(new Op.Mul(), row(1e30), row(1e30)).values()[0]);
    assertEquals(
        (double) Float.MIN_VALUE,
        eval32(new Op.Scale(0.5), row(2 * (double) Float.MIN_VALUE)).values()[0],
        0);
  }
}
