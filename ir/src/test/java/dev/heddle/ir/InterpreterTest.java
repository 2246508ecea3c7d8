package dev.heddle.ir;

import static dev.heddle.ir.Evaluation.check;
import static dev.heddle.ir.Evaluation.eval;
import static dev.heddle.ir.Evaluation.ints;
import static dev.heddle.ir.Evaluation.reals;
import static dev.heddle.ir.Evaluation.shape;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class InterpreterTest {
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
    Map<Value, Tensor> values =
        new Interpreter(Precision.F64, new SeededWeights(0), Evaluation.NO_STEP).values(graph);
    assertEquals(2, values.size());
    check((Tensor.Reals) values.get(Value.of(3)), shape(1), -2);
    Map<String, Tensor> outputs =
        Interpreter.run(graph, Evaluation.NO_STEP, new SeededWeights(0), Precision.F64);
    assertEquals(List.of("y"), List.copyOf(outputs.keySet()));
  }

  @Test
  void refusesAStepOfUnequalLengths() {
    Exception e =
        assertThrows(
            IllegalArgumentException.class,
            () -> new StepInput(new int[2], new int[1], new int[2], new int[0], List.of()));
    assertEquals("a step needs as many ids as positions and slots: 2, 1, 2", e.getMessage());
  }
}
