package dev.heddle.ir;

import static dev.heddle.ir.Evaluation.INF;
import static dev.heddle.ir.Evaluation.NAN;
import static dev.heddle.ir.Evaluation.check;
import static dev.heddle.ir.Evaluation.reals;
import static dev.heddle.ir.Evaluation.shape;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class AttentionTest {
  private static final double LN2 = Math.log(2);
  private static final double LN3 = Math.log(3);

  /** A state of {@code heads} rows of {@code size} values a position. */
  private static Tensor.Cache cache(String name, int heads, int size) {
    return new Tensor.Cache(name, TensorType.rows(DType.F32, Dim.C, Dim.of(heads), Dim.of(size)));
  }

  /** A sequence that holds these rows of one state k and of one state v. */
  private static SequenceState holding(double[][] k, double[][] v) {
    SequenceState sequence = new SequenceState();
    for (int j = 0; j < k.length; j++) {
      sequence.append("k", DType.F32, j, k[j]);
      sequence.append("v", DType.F32, j, v[j]);
    }
    return sequence;
  }

  /**
   * One query head of one value for each position, one cached head; q = 1, so that scores are
   * scaled keys.
   */
  private static double[] attend(double scale, SequenceState sequence, int... positions) {
    double[] q = new double[positions.length];
    Arrays.fill(q, 1);
    StepInput step =
        new StepInput(
            new int[q.length], positions, new int[q.length], new int[0], List.of(sequence));
    Tensor pos = new Tensor.Ints(positions, positions.length);
    Tensor x = reals(shape(q.length, 1, 1), q);
    Op op = new Op.Attention(scale);
    Tensor y =
        Evaluation.all(Precision.F64, step, op, x, cache("k", 1, 1), cache("v", 1, 1), pos).get(0);
    return ((Tensor.Reals) y).values();
  }

  private static double[][] column(double... values) {
    double[][] rows = new double[values.length][];
    for (int i = 0; i < values.length; i++) {
      rows[i] = new double[] {values[i]};
    }
    return rows;
  }

  @Test
  void weighsValuesByTheSoftmaxOfScaledScores() {
    // weights 1/4 and 3/4
    assertEquals(70, attend(LN3 / 2, holding(column(0, 2), column(10, 90)), 1)[0], 1e-12);
  }

  @Test
  void seesItsOwnPositionAndThoseBefore() {
    double[] y = attend(LN2, holding(column(0, 0, 1), column(8, 16, 40)), 0, 1, 2);
    assertEquals(8, y[0], 1e-12);
    assertEquals(12, y[1], 1e-12);
    assertEquals(26, y[2], 1e-12); // (8 + 16 + 2 * 40) / 4
  }

  @Test
  void rowsAboveThePositionAreNotRead() {
    assertEquals(12, attend(1, holding(column(0, 0, NAN), column(8, 16, NAN)), 1)[0], 1e-12);
  }

  @Test
  void consecutiveQueryHeadsShareACachedHead() {
    SequenceState sequence =
        holding(new double[][] {{0, 0}, {1, -1}}, new double[][] {{4, 400}, {8, 800}});
    StepInput step =
        new StepInput(new int[] {0}, new int[] {1}, new int[] {0}, new int[0], List.of(sequence));
    Tensor q = reals(shape(1, 4, 1), 1, -1, 1, 0);
    Tensor pos = Evaluation.ints(shape(1), 1);
    List<Tensor> y =
        Evaluation.all(
            Precision.F64, step, new Op.Attention(LN3), q, cache("k", 2, 1), cache("v", 2, 1), pos);
    // heads 0, 1 read cached head 0 with weights 3/4 and 1/4 of the second value; heads 2, 3 read
    // head 1 with 1/4 and 1/2
    check((Tensor.Reals) y.get(0), shape(1, 4, 1), 7, 5, 500, 600);
  }

  @Test
  void valuesMayBeWiderThanKeys() {
    SequenceState sequence = holding(column(0, 1), new double[][] {{4, 0, 1}, {8, 1, 1}});
    StepInput step =
        new StepInput(new int[] {0}, new int[] {1}, new int[] {0}, new int[0], List.of(sequence));
    List<Tensor> y =
        Evaluation.all(
            Precision.F64,
            step,
            new Op.Attention(LN3),
            reals(shape(1, 1, 1), 1),
            cache("k", 1, 1),
            cache("v", 1, 3),
            Evaluation.ints(shape(1), 1));
    check((Tensor.Reals) y.get(0), shape(1, 1, 3), 7, 0.75, 1);
  }

  @Test
  void tokensOfTwoSequencesSeeTheirOwn() {
    SequenceState a = holding(column(0, 0), column(2, 4));
    SequenceState b = holding(column(0, 1), column(100, 200));
    int[] positions = {1, 0, 1, 0};
    StepInput step =
        new StepInput(new int[4], positions, new int[] {0, 1, 1, 0}, new int[0], List.of(a, b));
    List<Tensor> y =
        Evaluation.all(
            Precision.F64,
            step,
            new Op.Attention(LN3),
            reals(shape(4, 1, 1), 1, 1, 1, 1),
            cache("k", 1, 1),
            cache("v", 1, 1),
            Evaluation.ints(shape(4), positions));
    check((Tensor.Reals) y.get(0), shape(4, 1, 1), 3, 100, 175, 2);
  }

  @Test
  void aScoreOfMinusInfinityHasWeightZero() {
    assertEquals(16, attend(1, holding(column(-INF, 0), column(8, 16)), 1)[0]);
    assertEquals(16, attend(1, holding(column(-INF, 0), column(NAN, 16)), 1)[0]);
  }

  @Test
  void noScoreAboveMinusInfinityGivesZeros() {
    assertEquals(0, attend(1, holding(column(-INF, -INF), column(8, 16)), 1)[0]);
  }

  @Test
  void aNanScoreShows() {
    assertEquals(NAN, attend(1, holding(column(NAN, 0), column(8, 16)), 1)[0]);
    assertEquals(NAN, attend(1, holding(column(NAN, -INF), column(8, 16)), 1)[0]);
    assertEquals(NAN, attend(1, holding(column(0, INF), column(8, 16)), 1)[0]);
    assertEquals(NAN, attend(1, holding(column(0, 0), column(8, NAN)), 1)[0]);
  }

  @Test
  void largeScoresDoNotOverflow() {
    assertEquals(70, attend(LN3, holding(column(1e5, 1e5 + 1), column(10, 90)), 1)[0], 1e-9);
    assertEquals(70, attend(LN3, holding(column(-1e5, -1e5 + 1), column(10, 90)), 1)[0], 1e-9);
  }

  @Test
  void noTokensGiveNoRows() {
    assertEquals(0, attend(1, holding(column(0), column(8))).length);
  }

  @Test
  void aPositionThatNothingHoldsIsRefused() {
    Exception e =
        assertThrows(
            IllegalArgumentException.class, () -> attend(1, holding(column(0), column(8)), 1));
    assertEquals("position 1 of state 'k' is read, but it holds 1 positions", e.getMessage());
  }

  @Test
  void f32AddsWeightsAndValuesInTheOrderOfPositions() {
    // weights 1, 1, 1: 2^24 + 1 + 1 loses both ones in f32, and the sum of weights is 3
    SequenceState sequence = holding(column(0, 0, 0), column(0x1p24, 1, 1));
    StepInput step =
        new StepInput(new int[] {0}, new int[] {2}, new int[] {0}, new int[0], List.of(sequence));
    List<Tensor> y =
        Evaluation.all(
            Precision.F32,
            step,
            new Op.Attention(1),
            reals(shape(1, 1, 1), 1),
            cache("k", 1, 1),
            cache("v", 1, 1),
            Evaluation.ints(shape(1), 2));
    assertEquals((double) (0x1p24f / 3f), ((Tensor.Reals) y.get(0)).values()[0]);
  }
}
