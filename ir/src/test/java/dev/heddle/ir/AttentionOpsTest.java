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
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class AttentionOpsTest {
  private static final Op.RopeScaling NONE = new Op.RopeScaling.None();
  private static final double LN2 = Math.log(2);

  private static Op.Rope rope(Op.RopeKind kind, boolean factors) {
    return new Op.Rope(kind, 4, 100, NONE, List.of(), factors);
  }

  /** Position 1 turns pair 0 by 1 rad, pair 1 by 0.1 rad; the fifth and sixth values stay. */
  @Test
  void ropeTurnsNeighboursOrHalves() {
    Tensor x = reals(shape(1, 1, 6), 1, 0, 0, 1, 7, 8);
    double c0 = (float) Math.cos(1);
    double s0 = (float) Math.sin(1);
    double c1 = (float) Math.cos(0.1);
    double s1 = (float) Math.sin(0.1);
    Tensor pos = ints(shape(1), 1);
    check(eval(rope(Op.RopeKind.NORM, false), x, pos), shape(1, 1, 6), c0, s0, -s1, c1, 7, 8);
    check(eval(rope(Op.RopeKind.NEOX, false), x, pos), shape(1, 1, 6), c0, -s1, s0, c1, 7, 8);
    check(eval(rope(Op.RopeKind.IMROPE, false), x, pos), shape(1, 1, 6), c0, -s1, s0, c1, 7, 8);
  }

  @Test
  void ropeFactorsOfAHugeSizeDoNotRotate() {
    Tensor x = reals(shape(1, 1, 4), 1, 2, 3, 4);
    Tensor factors = reals(shape(2), 1e30, 1e30);
    check(eval(rope(Op.RopeKind.NORM, true), x, ints(shape(1), 1000), factors), shape(1, 1, 4), 1, 2, 3, 4);
  }

  private static Tensor.Cache cache(String name, DType type, int heads, int d) {
    return new Tensor.Cache(name, TensorType.rows(type, Dim.C, Dim.of(heads), Dim.of(d)));
  }

  /** One sequence whose keys and values (one head, one value each) are given. */
  private static SequenceState filled(double[] keys, double[] values) {
    SequenceState s = new SequenceState();
    for (int j = 0; j < keys.length; j++) {
      s.append("k", DType.F32, j, new double[] {keys[j]});
      s.append("v", DType.F32, j, new double[] {values[j]});
    }
    return s;
  }

  private static Tensor.Reals attend(StepInput step, double... q) {
    Tensor pos = ints(shape(q.length), step.positions());
    Tensor rows = reals(shape(q.length, 1, 1), q);
    Tensor k = cache("k", DType.F32, 1, 1);
    Tensor v = cache("v", DType.F32, 1, 1);
    return (Tensor.Reals) Evaluation.all(Precision.F64, step, new Op.Attention(1), rows, k, v, pos).get(0);
  }

  private static StepInput at(SequenceState s, int position) {
    return StepInput.of(s, position, 0);
  }

  @Test
  void attentionWeighsVisibleValuesBySoftmax() {
    // scores 0 and ln 2: weights 1/3, 2/3 (ln 2 as the cache's f32 holds it)
    SequenceState s = filled(new double[] {0, 1, 5}, new double[] {3, 6, 1000});
    check(attend(at(s, 1), LN2), shape(1, 1, 1), 5);
    check(attend(at(s, 0), LN2), shape(1, 1, 1), 3);
  }

  @Test
  void maskedRowsAreNotRead() {
    SequenceState s = filled(new double[] {0, NAN}, new double[] {3, NAN});
    check(attend(at(s, 0), 1), shape(1, 1, 1), 3);
  }

  @Test
  void nanScoresShowAndInfiniteOnesDoNotWeigh() {
    check(attend(at(filled(new double[] {0, NAN}, new double[] {3, 4}), 1), 1), shape(1, 1, 1), NAN);
    check(attend(at(filled(new double[] {0, -INF}, new double[] {3, NAN}), 1), 1), shape(1, 1, 1), 3);
    check(attend(at(filled(new double[] {-INF}, new double[] {3}), 0), 1), shape(1, 1, 1), 0);
  }

  @Test
  void tokensSeeTheirOwnSequenceOnly() {
    SequenceState a = filled(new double[] {0}, new double[] {3});
    SequenceState b = filled(new double[] {0, 0}, new double[] {5, 7});
    StepInput step = new StepInput(new int[3], new int[] {1, 0, 0}, new int[] {1, 0, 1}, new int[0], List.of(a, b));
    check(attend(step, 1, 1, 1), shape(3, 1, 1), 6, 3, 5);
  }

  @Test
  void neighbouringHeadsShareAKeyHead() {
    SequenceState s = new SequenceState();
    s.append("k", DType.F32, 0, new double[] {1, 1});
    s.append("v", DType.F32, 0, new double[] {10, 11, 20, 21});
    Tensor q = reals(shape(1, 4, 1), 1, 1, 1, 1);
    Tensor k = cache("k", DType.F32, 2, 1);
    Tensor v = cache("v", DType.F32, 2, 2);
    Tensor out = Evaluation.all(Precision.F32, at(s, 0), new Op.Attention(0.5), q, k, v, ints(shape(1), 0)).get(0);
    check((Tensor.Reals) out, shape(1, 4, 2), 10, 11, 10, 11, 20, 21, 20, 21);
  }

  @Test
  void appendPutsEachTokensRowIntoItsSequence() {
    SequenceState a = filled(new double[] {9}, new double[] {9});
    SequenceState b = new SequenceState();
    StepInput step = new StepInput(new int[3], new int[] {0, 1, 1}, new int[] {1, 0, 1}, new int[0], List.of(a, b));
    Tensor rows = reals(shape(3, 1, 1), 1, 2, 3);
    Evaluation.all(Precision.F64, step, new Op.KvAppend(), cache("k", DType.F32, 1, 1), rows, ints(shape(3), 0, 1, 1));
    assertEquals(2, a.length("k"));
    assertArrayEquals(new double[] {2}, a.row("k", 1));
    assertArrayEquals(new double[] {1}, b.row("k", 0));
    assertArrayEquals(new double[] {3}, b.row("k", 1));
  }

  @Test
  void appendRefusesAGapAndTruncateForgets() {
    SequenceState s = filled(new double[] {1, 2}, new double[] {1, 2});
    Exception e = assertThrows(IllegalArgumentException.class, () -> s.append("k", DType.F32, 3, new double[] {1}));
    assertEquals("position 3 does not follow the 2 positions of state 'k'", e.getMessage());
    SequenceState copy = s.copy();
    s.truncate(1);
    assertEquals(1, s.length("v"));
    assertEquals(2, copy.length("v"));
  }

  @Test
  void halvesRoundToNearestEven() {
    // f16 has 11 bits: 2049 lies between 2048 and 2050, 2051 between 2050 and 2052; bf16 has 8: 257, 259
    assertArrayEquals(new double[] {2048, 2052, INF}, CacheRow.convert(DType.F16, new double[] {2049, 2051, 1e6}));
    assertArrayEquals(new double[] {256, 260, NAN}, CacheRow.convert(DType.BF16, new double[] {257, 259, NAN}));
    assertArrayEquals(new double[] {(float) 0.1}, CacheRow.convert(DType.F32, new double[] {0.1}));
  }

  @Test
  void q8_0RowsFollowGgml() {
    double[] x = new double[32];
    x[0] = -127;
    x[1] = 2.5;
    x[2] = 0.4;
    double[] y = CacheRow.convert(DType.Q8_0, x);
    assertArrayEquals(new double[] {-127, 3, 0, 0}, Arrays.copyOf(y, 4));
    assertArrayEquals(new double[32], CacheRow.convert(DType.Q8_0, new double[32]));
  }

  @Test
  void q4_0RowsFollowGgml() {
    double[] x = new double[32];
    x[0] = 8; // the largest, so d = -1 and it becomes 0 - 8 = -8 times -1
    x[1] = -8; // x / d + 8.5 = 16.5, cut to 15: -7
    x[2] = 2.4;
    x[3] = -2.6;
    double[] y = CacheRow.convert(DType.Q4_0, x);
    assertArrayEquals(new double[] {8, -7, 2, -3, 0}, Arrays.copyOf(y, 5), 0);
  }
}
