package dev.heddle.ir;

import static dev.heddle.ir.Evaluation.INF;
import static dev.heddle.ir.Evaluation.NAN;
import static dev.heddle.ir.Evaluation.NO_STEP;
import static dev.heddle.ir.Evaluation.check;
import static dev.heddle.ir.Evaluation.eval;
import static dev.heddle.ir.Evaluation.eval32;
import static dev.heddle.ir.Evaluation.reals;
import static dev.heddle.ir.Evaluation.row;
import static dev.heddle.ir.Evaluation.shape;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class RoutingTest {
  private static final double LN2 = Math.log(2);

  private static void routes(Op.Router op, int[] ids, double[] weights, Tensor... inputs) {
    List<Tensor> results = Evaluation.all(Precision.F64, NO_STEP, op, inputs);
    assertArrayEquals(ids, ((Tensor.Ints) results.get(0)).values());
    assertArrayEquals(weights, ((Tensor.Reals) results.get(1)).values(), 1e-12);
  }

  @Test
  void softmaxScoresAreRenormalisedOverTheChosen() {
    // scores 1/7, 4/7, 2/7
    Tensor logits = row(0, 2 * LN2, LN2);
    routes(
        new Op.Router(Op.Score.SOFTMAX, 2, 0x1p-14, 1, false),
        new int[] {1, 2},
        new double[] {2 / 3.0, 1 / 3.0},
        logits);
    routes(
        new Op.Router(Op.Score.SOFTMAX, 2, 0, 1, false),
        new int[] {1, 2},
        new double[] {4 / 7.0, 2 / 7.0},
        logits);
    routes(
        new Op.Router(Op.Score.SOFTMAX, 1, 0x1p-14, 2.5, false),
        new int[] {1},
        new double[] {2.5},
        logits);
  }

  @Test
  void theBiasOnlyChooses() {
    Tensor bias = reals(shape(3), 0, -10, 0);
    Op.Router op = new Op.Router(Op.Score.SIGMOID, 2, 0, 1, true);
    routes(op, new int[] {2, 0}, new double[] {2 / 3.0, 0.5}, row(0, 9, LN2), bias);
  }

  @Test
  void otherScores() {
    Op.Router root = new Op.Router(Op.Score.SQRT_SOFTPLUS, 1, 0, 1, false);
    routes(root, new int[] {1}, new double[] {5}, row(0, 25));
    routes(
        new Op.Router(Op.Score.IDENTITY, 1, 0, 1, false),
        new int[] {1},
        new double[] {25},
        row(0, 25));
  }

  @Test
  void sumsTheChosenInRankOrder() {
    // (2^24 + 1) + 1 is 2^24 in f32; in index order the sum would be 2^24 + 2
    Op.Router op = new Op.Router(Op.Score.IDENTITY, 3, 0x1p-14, 1, false);
    List<Tensor> results = Evaluation.all(Precision.F32, NO_STEP, op, row(1, 1, 0x1p24));
    assertArrayEquals(new int[] {2, 0, 1}, ((Tensor.Ints) results.get(0)).values());
    check((Tensor.Reals) results.get(1), shape(1, 3), 1, 0x1p-24, 0x1p-24);
  }

  @Test
  void minusInfiniteScoresFollowInIndexOrder() {
    Op.Router op = new Op.Router(Op.Score.SOFTMAX, 3, 0x1p-14, 1, false);
    routes(op, new int[] {2, 0, 1}, new double[] {1, 0, 0}, row(-INF, -INF, 0, -INF));
    routes(op, new int[] {0, 1, 2}, new double[] {0, 0, 0}, row(-INF, -INF, -INF, -INF));
  }

  @Test
  void choosesAllOfAllAndEqualsByIndex() {
    Op.Router op = new Op.Router(Op.Score.IDENTITY, 3, 0x1p-14, 1, false);
    routes(op, new int[] {1, 0, 2}, new double[] {0.5, 0.25, 0.25}, row(1, 2, 1));
  }

  @Test
  void theFloorKeepsVanishedScoresFromDividingByZero() {
    Op.Router op = new Op.Router(Op.Score.SIGMOID, 2, 0x1p-14, 1, false);
    routes(op, new int[] {0, 1}, new double[] {0, 0}, row(-1000, -1000, -1000));
    routes(op, new int[] {0, 1}, new double[] {0.25, 0}, row(-Math.log(65535), -1000, -1000));
  }

  @Test
  void aNanLogitShowsInASoftmaxAndLosesWithSigmoid() {
    Op.Router soft = new Op.Router(Op.Score.SOFTMAX, 2, 0x1p-14, 1, false);
    routes(soft, new int[] {0, 1}, new double[] {NAN, NAN}, row(1, NAN, 2));
    Op.Router sigmoid = new Op.Router(Op.Score.SIGMOID, 2, 0, 1, false);
    routes(sigmoid, new int[] {2, 0}, new double[] {2 / 3.0, 0.5}, row(0, NAN, LN2));
  }

  private static final Tensor Y = reals(shape(1, 2, 2), 1, 2, 10, 20);
  private static final Tensor WEIGHTS = row(0.5, 2);

  @Test
  void combineSumsInRankOrderThenAddsSharedThenResidual() {
    Tensor shared = row(100, 100);
    Tensor gate = reals(shape(1, 1), 0.5);
    Tensor residual = row(1000, 2000);
    check(eval(new Op.Combine(false, false, false), Y, WEIGHTS), shape(1, 2), 20.5, 41);
    check(eval(new Op.Combine(true, false, false), Y, WEIGHTS, shared), shape(1, 2), 120.5, 141);
    check(eval(new Op.Combine(true, true, false), Y, WEIGHTS, shared, gate), shape(1, 2), 70.5, 91);
    check(
        eval(new Op.Combine(true, true, true), Y, WEIGHTS, shared, gate, residual),
        shape(1, 2),
        1070.5,
        2091);
    check(
        eval(new Op.Combine(false, false, true), Y, WEIGHTS, residual), shape(1, 2), 1020.5, 2041);
  }

  @Test
  void combineOrderIsPartOfItsDefinition() {
    // (2^24 + 1) + 1 loses both ones in f32; residual + (1 + 1) would not
    Tensor y = reals(shape(1, 3, 1), 0x1p24, 1, 1);
    Tensor w = row(1, 1, 1);
    check(eval32(new Op.Combine(false, false, false), y, w), shape(1, 1), 0x1p24);
    Tensor ones = reals(shape(1, 2, 1), 1, 1);
    check(
        eval32(new Op.Combine(false, false, true), ones, row(1, 1), reals(shape(1, 1), 0x1p24)),
        shape(1, 1),
        0x1p24 + 2);
  }

  @Test
  void aWeightOfZeroDoesNotHideNan() {
    check(
        eval(new Op.Combine(false, false, false), reals(shape(1, 2, 1), 1, NAN), row(1, 0)),
        shape(1, 1),
        NAN);
  }
}
