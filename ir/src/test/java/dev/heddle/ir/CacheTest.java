package dev.heddle.ir;

import static dev.heddle.ir.Evaluation.INF;
import static dev.heddle.ir.Evaluation.NAN;
import static dev.heddle.ir.Evaluation.ints;
import static dev.heddle.ir.Evaluation.reals;
import static dev.heddle.ir.Evaluation.shape;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CacheTest {
  /** Lets -0 equal 0. */
  private static final double TINY = Double.MIN_VALUE;

  private static final Tensor.Cache PAIRS =
      new Tensor.Cache("k", TensorType.rows(DType.F32, Dim.C, Dim.of(1), Dim.of(2)));

  private static void append(StepInput step, Tensor rows, int... positions) {
    Evaluation.all(
        Precision.F64,
        step,
        new Op.KvAppend(),
        PAIRS,
        rows,
        ints(shape(positions.length), positions));
  }

  @Test
  void appendsRowsOfSeveralStepsInOrder() {
    SequenceState sequence = new SequenceState();
    append(StepInput.of(sequence, 0, 7, 7), reals(shape(2, 1, 2), 1, 2, 3, 4), 0, 1);
    append(StepInput.of(sequence, 2, 7), reals(shape(1, 1, 2), 5, 6), 2);
    assertEquals(3, sequence.length("k"));
    assertArrayEquals(new double[] {3, 4}, sequence.row("k", 1));
    assertArrayEquals(new double[] {5, 6}, sequence.row("k", 2));
  }

  @Test
  void appendsEachTokenToItsOwnSequence() {
    List<SequenceState> sequences = List.of(new SequenceState(), new SequenceState());
    StepInput step =
        new StepInput(new int[3], new int[] {0, 0, 1}, new int[] {1, 0, 1}, new int[0], sequences);
    append(step, reals(shape(3, 1, 2), 1, 2, 3, 4, 5, 6), 0, 0, 1);
    assertArrayEquals(new double[] {3, 4}, sequences.get(0).row("k", 0));
    assertArrayEquals(new double[] {5, 6}, sequences.get(1).row("k", 1));
    assertEquals(1, sequences.get(0).length("k"));
  }

  @Test
  void noTokensChangeNothing() {
    SequenceState sequence = new SequenceState();
    append(StepInput.of(sequence, 0), reals(shape(0, 1, 2)));
    assertEquals(0, sequence.length("k"));
  }

  @Test
  void refusesPositionsThatDoNotFollow() {
    SequenceState sequence = new SequenceState();
    Exception e =
        assertThrows(
            IllegalArgumentException.class,
            () -> append(StepInput.of(sequence, 1, 7), reals(shape(1, 1, 2), 1, 2), 1));
    assertEquals("position 1 does not follow the 0 positions of state 'k'", e.getMessage());
  }

  @Test
  void refusesSlotsOfNoSequence() {
    StepInput step =
        new StepInput(
            new int[1], new int[1], new int[] {1}, new int[0], List.of(new SequenceState()));
    Exception e =
        assertThrows(
            IllegalArgumentException.class, () -> append(step, reals(shape(1, 1, 2), 1, 2), 0));
    assertEquals("slot 1 of token 0 is none of the step's 1 sequences", e.getMessage());
  }

  @Test
  void forgetsAndCopiesSequences() {
    SequenceState sequence = new SequenceState();
    append(StepInput.of(sequence, 0, 7, 7), reals(shape(2, 1, 2), 1, 2, 3, 4), 0, 1);
    SequenceState copy = sequence.copy();
    sequence.truncate(1);
    append(StepInput.of(sequence, 1, 7), reals(shape(1, 1, 2), 9, 9), 1);
    assertArrayEquals(new double[] {9, 9}, sequence.row("k", 1));
    assertArrayEquals(new double[] {3, 4}, copy.row("k", 1));
  }

  @Test
  void stepsOfAGraphContinueItsCaches() {
    String text =
        """
        graph main
        %0 = @e : f32{2, 3}
        %1 = input(kind=ids) : i32[T]
        %2 = input(kind=pos) : i32[T]
        %3 = embed(@e, %1, scale=1) : f32[T, 2]
        %4 = reshape(%3, shape=[T, 1, 2]) : f32[T, 1, 2]
        %5 = state(name="k", rollback=append) : f16[C, 1, 2]
        %6 = kv_append(%5, %4, %2) : f16[C, 1, 2]
        %7 = attention(%4, %6, %6, %2, scale=0) : f32[T, 1, 2]
        output y = %7
        output "state:k" = %6
        """;
    Graph graph = GraphText.parse(text);
    Verifier.verify(graph);
    WeightSource weights = (w, type) -> new float[] {0, 6, 12, 24, 1, 1};
    SequenceState sequence = new SequenceState();
    Map<String, Tensor> first =
        Interpreter.run(graph, StepInput.of(sequence, 0, 0, 1), weights, Precision.F64);
    assertArrayEquals(new double[] {0, 6, 6, 15}, ((Tensor.Reals) first.get("y")).values());
    Map<String, Tensor> second =
        Interpreter.run(graph, StepInput.of(sequence, 2, 1), weights, Precision.F64);
    assertArrayEquals(new double[] {8, 18}, ((Tensor.Reals) second.get("y")).values());
  }

  @Test
  void f32RoundsToNearestEven() {
    double[] row = {0x1p24 + 1, 0x1p24 + 3, 0.1, -INF};
    assertArrayEquals(
        new double[] {0x1p24, 0x1p24 + 4, 0.1f, -INF}, CacheRow.convert(DType.F32, row));
  }

  @Test
  void f16RoundsToNearestEvenAndOverflowsToInfinity() {
    double[] row = {2049, 2051, 65519, 65520, 0x1p-25, 0x1.8p-25, -1e-7, NAN, INF};
    double[] expected = {2048, 2052, 65504, INF, 0, 0x1p-24, -0x1p-23, NAN, INF};
    assertArrayEquals(expected, CacheRow.convert(DType.F16, row));
  }

  @Test
  void bf16RoundsToNearestEvenAndKeepsNan() {
    double[] row = {257, 259, -257, 1 + 0x1.8p-8, 3.39e38, INF, NAN, 0};
    double[] expected = {256, 260, -256, 1 + 0x1p-7, 0x1.fep127, INF, NAN, 0};
    assertArrayEquals(expected, CacheRow.convert(DType.BF16, row));
    assertEquals(INF, CacheRow.convert(DType.BF16, new double[] {Float.MAX_VALUE})[0]);
  }

  private static double[] block(double... first) {
    return Arrays.copyOf(first, 32);
  }

  @Test
  void q8_0RoundsHalvesAwayFromZero() {
    assertArrayEquals(
        block(127, 3, -3, 1, 0, -127),
        CacheRow.convert(DType.Q8_0, block(127, 2.5, -2.5, 0.5, 0.49, -127)));
  }

  @Test
  void q8_0StoresItsScaleAsHalf() {
    // d = 1 / 127 = 0x1.020408p-7, as f16 0x1.02p-7
    double half = 0x1.02p-7;
    assertArrayEquals(block(127 * half, 64 * half), CacheRow.convert(DType.Q8_0, block(1, 0.5)));
  }

  @Test
  void q8_0ScalesEachBlockAlone() {
    double[] row = new double[64];
    row[0] = 254;
    row[1] = 1;
    row[33] = -127;
    row[34] = 1;
    double[] expected = row.clone();
    expected[1] = 2; // d = 2: half of it rounds up
    assertArrayEquals(expected, CacheRow.convert(DType.Q8_0, row));
  }

  @Test
  void q4_0ScalesByTheSignedLargest() {
    // d = -1: q = x / d + 8
    double[] expected = block(8, -7, 3, -2, -7);
    assertArrayEquals(expected, CacheRow.convert(DType.Q4_0, block(8, -7, 2.6, -2.4, -7.4)), TINY);
    // the first of equals decides: d = 1 has no 8, which becomes 7
    assertArrayEquals(block(-8, 7), CacheRow.convert(DType.Q4_0, block(-8, 8)), TINY);
    assertArrayEquals(block(8, -7), CacheRow.convert(DType.Q4_0, block(8, -8)), TINY);
  }

  @Test
  void q4_0RoundsHalvesUpInUnitsOfItsScale() {
    assertArrayEquals(
        block(-8, 1, 0, 2), CacheRow.convert(DType.Q4_0, block(-8, 0.5, -0.5, 1.5)), TINY);
  }

  @Test
  void quantisedZerosAreZerosAndNanShows() {
    for (DType type : List.of(DType.Q8_0, DType.Q4_0)) {
      assertArrayEquals(new double[32], CacheRow.convert(type, new double[32]), TINY);
      assertTrue(Double.isNaN(CacheRow.convert(type, block(1, NAN))[1]), type.text());
    }
  }

  @Test
  void otherTypesAreNoCaches() {
    Exception e =
        assertThrows(GraphException.class, () -> CacheRow.convert(DType.Q4_K, new double[256]));
    assertEquals("a state holds f32, f16, bf16, q8_0 or q4_0, not q4_k", e.getMessage());
  }
}
