package dev.heddle.ir;

import static dev.heddle.ir.Evaluation.check;
import static dev.heddle.ir.Evaluation.eval;
import static dev.heddle.ir.Evaluation.ints;
import static dev.heddle.ir.Evaluation.reals;
import static dev.heddle.ir.Evaluation.shape;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class InterpreterTest {
  /** Values in -1 .. 1 that depend on the tensor's name alone. */
  private static final WeightSource SEEDED =
      (weight, type) -> {
        SplittableRandom random = new SplittableRandom(weight.toString().hashCode());
        float[] values = new float[Math.toIntExact(type.shape().constants())];
        for (int i = 0; i < values.length; i++) {
          values[i] = (float) random.nextDouble(-1, 1);
        }
        return values;
      };

  private static Map<String, Tensor> run(Graph graph, Precision precision, SequenceState sequence, int from, int... ids) {
    return Interpreter.run(graph, StepInput.of(sequence, from, ids), SEEDED, precision);
  }

  private static Graph graph(String lines) {
    Graph graph = GraphText.parse("graph g\n" + lines);
    Verifier.verify(graph);
    return graph;
  }

  @Test
  void gathersRowsAndSingleValues() {
    Tensor x = reals(shape(2, 3), 1, 2, 3, 4, 5, 6);
    check(eval(new Op.GetRows(), x, ints(shape(2, 2), 2, 0, 1, 1)), shape(2, 2), 3, 1, 5, 5);
    Tensor rows = reals(shape(1, 3, 2), 1, 2, 3, 4, 5, 6);
    check(eval(new Op.GetRows(), rows, ints(shape(1, 2), 2, 0)), shape(1, 2, 2), 5, 6, 1, 2);
    check(eval(new Op.TakeRows(), x, ints(shape(1), 1)), shape(1, 3), 4, 5, 6);
    check(eval(new Op.TakeRows(), x, ints(shape(0))), shape(0, 3));
  }

  @Test
  void movesValuesInRowsAndInWeights() {
    Graph graph =
        graph(
            """
            %0 = input(kind=ids) : i32[T]
            %1 = @e : f32{6, 9}
            %2 = embed(@e, %0, scale=1) : f32[T, 6]
            %3 = reshape(%2, shape=[T, 2, 3]) : f32[T, 2, 3]
            %4 = slice(%3, dim=1, from=1, to=2) : f32[T, 1, 3]
            %5 = slice(%3, dim=-1, from=0, to=2) : f32[T, 2, 2]
            %6 = concat(%4, %3, dim=1) : f32[T, 3, 3]
            %7 = concat(%5, %3, dim=-1) : f32[T, 2, 5]
            %8 = slice(@e, dim=1, from=2, to=4) : f32{6, 2}
            %9 = matmul(%8, %2) : f32[T, 2]
            output a = %4
            output b = %5
            output c = %6
            output d = %7
            output e = %9
            """);
    float[] table = new float[54];
    for (int i = 0; i < table.length; i++) {
      table[i] = i;
    }
    StepInput step = StepInput.of(new SequenceState(), 0, 0);
    Map<String, Tensor> out = Interpreter.run(graph, step, (w, type) -> table, Precision.F64);
    check((Tensor.Reals) out.get("a"), shape(1, 1, 3), 3, 4, 5);
    check((Tensor.Reals) out.get("b"), shape(1, 2, 2), 0, 1, 3, 4);
    check((Tensor.Reals) out.get("c"), shape(1, 3, 3), 3, 4, 5, 0, 1, 2, 3, 4, 5);
    check((Tensor.Reals) out.get("d"), shape(1, 2, 5), 0, 1, 0, 1, 2, 3, 4, 3, 4, 5);
    // rows 12 .. 17 and 18 .. 23 times 0 .. 5
    check((Tensor.Reals) out.get("e"), shape(1, 2), 235, 325);
  }

  @Test
  void valuesKeepsEveryValueAndRunTheOutputs() {
    Graph graph = graph("%0 = constant(value=2) : f32[1]\n%3 = neg(%0) : f32[1]\noutput y = %3\n");
    Map<Value, Tensor> values = new Interpreter(Precision.F64, SEEDED, Evaluation.NO_STEP).values(graph);
    assertEquals(2, values.size());
    check((Tensor.Reals) values.get(Value.of(3)), shape(1), -2);
    assertEquals(List.of("y"), List.copyOf(run(graph, Precision.F64, new SequenceState(), 0).keySet()));
  }

  @Test
  void refusesAStepOfUnequalLengths() {
    Exception e =
        assertThrows(
            IllegalArgumentException.class, () -> new StepInput(new int[2], new int[1], new int[2], new int[0], List.of()));
    assertEquals("a step needs as many ids as positions and slots: 2, 1, 2", e.getMessage());
  }

  @Test
  void printedAndParsedGraphsGiveTheSameValues() {
    for (long seed = 0; seed < 60; seed++) {
      Graph graph = RandomGraphs.any(seed, 25);
      Graph again = GraphText.parse(GraphText.print(graph));
      Map<String, Tensor> values = run(graph, Precision.F32, new SequenceState(), 0, 3, 1, 4);
      same(values, run(again, Precision.F32, new SequenceState(), 0, 3, 1, 4), seed);
    }
  }

  @Test
  void everyValueHasItsTypesShape() {
    for (long seed = 0; seed < 60; seed++) {
      Graph graph = RandomGraphs.any(seed, 25);
      StepInput step = StepInput.of(new SequenceState(), 0, 3, 1, 4);
      Map<Value, Tensor> values = new Interpreter(Precision.F32, SEEDED, step).values(graph);
      for (Node node : graph.nodes()) {
        for (int i = 0; i < node.types().size(); i++) {
          Tensor value = values.get(new Value(node.id(), i));
          int[] expected = TensorChecks.dims(node.types().get(i)).stream().mapToInt(InterpreterTest::size).toArray();
          if (!(value instanceof Tensor.Cache)) {
            assertArrayEquals(expected, value.shape(), "seed " + seed + ", " + GraphText.print(graph, node));
          }
        }
      }
    }
  }

  private static int size(Dim dim) {
    return dim instanceof Dim.Const c ? Math.toIntExact(c.value()) : 3;
  }

  @Test
  void stepsOfAnySizeGiveTheSameRows() {
    for (long seed = 0; seed < 40; seed++) {
      Graph graph = RandomGraphs.any(seed, 20);
      Tensor.Reals whole = (Tensor.Reals) run(graph, Precision.F32, new SequenceState(), 0, 3, 1, 4).get("logits");
      SequenceState sequence = new SequenceState();
      run(graph, Precision.F32, sequence, 0, 3);
      run(graph, Precision.F32, sequence, 1);
      Tensor.Reals rest = (Tensor.Reals) run(graph, Precision.F32, sequence, 1, 1, 4).get("logits");
      int row = whole.size() / 3;
      for (int i = 0; i < rest.size(); i++) {
        assertEquals(whole.values()[row + i], rest.values()[i], "seed " + seed);
      }
    }
  }

  @Test
  void f32StaysCloseToF64() {
    for (long seed = 0; seed < 60; seed++) {
      Graph graph = RandomGraphs.smooth(seed, 20);
      Tensor.Reals single = (Tensor.Reals) run(graph, Precision.F32, new SequenceState(), 0, 3, 1, 4).get("logits");
      Tensor.Reals exact = (Tensor.Reals) run(graph, Precision.F64, new SequenceState(), 0, 3, 1, 4).get("logits");
      double most = 1;
      for (double x : exact.values()) {
        most = Math.max(most, Math.abs(x));
      }
      for (int i = 0; i < exact.size(); i++) {
        double difference = Math.abs(exact.values()[i] - single.values()[i]);
        assertTrue(difference <= 1e-3 * most, "seed " + seed + ": " + exact.values()[i] + " and " + single.values()[i]);
      }
    }
  }

  private static void same(Map<String, Tensor> a, Map<String, Tensor> b, long seed) {
    assertEquals(List.copyOf(a.keySet()), List.copyOf(b.keySet()), "seed " + seed);
    a.forEach(
        (name, value) -> {
          switch (value) {
            case Tensor.Reals r -> assertArrayEquals(r.values(), ((Tensor.Reals) b.get(name)).values(), "seed " + seed);
            case Tensor.Ints i -> assertArrayEquals(i.values(), ((Tensor.Ints) b.get(name)).values(), "seed " + seed);
            case Tensor.Cache c -> assertEquals(c, b.get(name), "seed " + seed);
          }
        });
  }
}
