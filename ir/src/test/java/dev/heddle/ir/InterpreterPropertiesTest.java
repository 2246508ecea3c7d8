package dev.heddle.ir;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * What must hold of any graph; graphs, weights and tokens come from the seed that a failure names.
 */
class InterpreterPropertiesTest {
  private static final int GRAPHS = 60;
  private static final int SIZE = 18;
  private static final int TOKENS = 5;

  private static int[] ids(long seed) {
    return new SplittableRandom(seed).ints(TOKENS, 0, (int) RandomGraphs.VOCABULARY).toArray();
  }

  /** A prompt of the first tokens, then a step with the others. */
  private static List<Map<String, Tensor>> twoSteps(Graph graph, long seed, Precision precision) {
    SequenceState sequence = new SequenceState();
    int[] ids = ids(seed);
    WeightSource weights = new SeededWeights(seed);
    StepInput prompt = StepInput.of(sequence, 0, Arrays.copyOf(ids, 3));
    StepInput rest = StepInput.of(sequence, 3, Arrays.copyOfRange(ids, 3, TOKENS));
    return List.of(
        Interpreter.run(graph, prompt, weights, precision),
        Interpreter.run(graph, rest, weights, precision));
  }

  /** Output rows by name and token, states apart. */
  private static Map<String, List<String>> rows(List<Map<String, Tensor>> steps) {
    Map<String, List<String>> rows = new LinkedHashMap<>();
    for (Map<String, Tensor> outputs : steps) {
      outputs.forEach((name, tensor) ->
          rows.computeIfAbsent(name, n -> new ArrayList<>()).addAll(rows(tensor)));
    }
    return rows;
  }

  private static List<String> rows(Tensor tensor) {
    List<String> rows = new ArrayList<>();
    int count = tensor instanceof Tensor.Cache ? 0 : tensor.dim(0);
    for (int t = 0; t < count; t++) {
      int n = tensor.size() / count;
      rows.add(
          switch (tensor) {
            case Tensor.Reals x ->
                Arrays.toString(Arrays.copyOfRange(x.values(), t * n, t * n + n));
            case Tensor.Ints x -> Arrays.toString(Arrays.copyOfRange(x.values(), t * n, t * n + n));
            case Tensor.Cache x -> x.name();
          });
    }
    return rows;
  }

  @Test
  void everyOpIsEvaluatedAndItsResultsHaveTheirTypes() {
    Set<Class<?>> seen = new HashSet<>();
    for (long seed = 0; seed < GRAPHS; seed++) {
      Graph graph = RandomGraphs.any(seed, SIZE);
      StepInput step = StepInput.of(new SequenceState(), 0, ids(seed));
      Map<Value, Tensor> values =
          new Interpreter(Precision.F32, new SeededWeights(seed), step).values(graph);
      for (Node node : graph.nodes()) {
        seen.add(node.op().getClass());
        for (int r = 0; r < node.types().size(); r++) {
          Tensor value = values.get(new Value(node.id(), r));
          hasType(node.types().get(r), value, "seed " + seed + ", " + GraphText.print(graph, node));
        }
      }
    }
    assertEquals(Set.of(Op.class.getPermittedSubclasses()), seen, "the generator makes every op");
  }

  private static void hasType(TensorType type, Tensor tensor, String where) {
    if (!(tensor instanceof Tensor.Cache)) {
      int[] dims =
          TensorChecks.dims(type).stream()
              .mapToInt(d -> d instanceof Dim.Const c ? (int) c.value() : TOKENS)
              .toArray();
      assertArrayEquals(dims, tensor.shape(), where);
      assertEquals(type.dtype() == DType.I32, tensor instanceof Tensor.Ints, where);
    }
  }

  @Test
  void aGraphReadFromItsTextGivesTheSameValues() {
    for (long seed = 0; seed < GRAPHS; seed++) {
      Graph graph = RandomGraphs.any(seed, SIZE);
      Graph again = GraphText.parse(GraphText.print(graph));
      assertEquals(
          rows(twoSteps(graph, seed, Precision.F32)),
          rows(twoSteps(again, seed, Precision.F32)),
          "seed " + seed);
    }
  }

  @Test
  void aTokensRowsDoNotDependOnTheStepItIsIn() {
    for (long seed = 0; seed < GRAPHS; seed++) {
      Graph graph = RandomGraphs.any(seed, SIZE);
      SequenceState sequence = new SequenceState();
      List<Map<String, Tensor>> steps = new ArrayList<>();
      int[] ids = ids(seed);
      for (int t = 0; t < TOKENS; t++) {
        steps.add(
            Interpreter.run(
                graph, StepInput.of(sequence, t, ids[t]), new SeededWeights(seed), Precision.F32));
      }
      assertEquals(rows(twoSteps(graph, seed, Precision.F32)), rows(steps), "seed " + seed);
    }
  }

  @Test
  void aTokensRowsDoNotDependOnWhoSharesTheStep() {
    for (long seed = 0; seed < GRAPHS; seed++) {
      Graph graph = RandomGraphs.any(seed, SIZE);
      int[] ids = ids(seed);
      WeightSource weights = new SeededWeights(seed);
      // tokens 0, 2, 4 in one sequence and 1, 3 in another
      List<SequenceState> both = List.of(new SequenceState(), new SequenceState());
      int[] slots = {0, 1, 0, 1, 0};
      StepInput shared =
          new StepInput(ids, new int[] {0, 0, 1, 1, 2}, slots, new int[] {0, 1, 2, 3, 4}, both);
      Map<String, List<String>> together =
          rows(List.of(Interpreter.run(graph, shared, weights, Precision.F32)));
      StepInput even = StepInput.of(new SequenceState(), 0, ids[0], ids[2], ids[4]);
      Map<String, List<String>> alone =
          rows(List.of(Interpreter.run(graph, even, weights, Precision.F32)));
      for (String name : alone.keySet()) {
        List<String> rows = together.get(name);
        List<String> own = rows.isEmpty() ? rows : List.of(rows.get(0), rows.get(2), rows.get(4));
        assertEquals(alone.get(name), own, "seed " + seed + ", " + name);
      }
    }
  }

  @Test
  void aStepWithoutTokensGivesNoRows() {
    for (long seed = 0; seed < GRAPHS; seed++) {
      StepInput step = StepInput.of(new SequenceState(), 0);
      Map<String, Tensor> outputs =
          Interpreter.run(
              RandomGraphs.any(seed, SIZE), step, new SeededWeights(seed), Precision.F64);
      for (Map.Entry<String, Tensor> output : outputs.entrySet()) {
        assertEquals(List.of(), rows(output.getValue()), "seed " + seed + ", " + output.getKey());
      }
    }
  }

  @Test
  void f32StaysCloseToF64WhereNothingAmplifiesErrors() {
    for (long seed = 0; seed < GRAPHS; seed++) {
      Graph graph = RandomGraphs.smooth(seed, SIZE);
      List<Map<String, Tensor>> exact = twoSteps(graph, seed, Precision.F64);
      List<Map<String, Tensor>> rounded = twoSteps(graph, seed, Precision.F32);
      for (int i = 0; i < exact.size(); i++) {
        Tensor.Reals logits = (Tensor.Reals) exact.get(i).get("logits");
        close(logits, (Tensor.Reals) rounded.get(i).get("logits"), "seed " + seed + ", step " + i);
      }
    }
  }

  private static void close(Tensor.Reals exact, Tensor.Reals rounded, String where) {
    assertArrayEquals(exact.shape(), rounded.shape(), where);
    double most = 0;
    for (double x : exact.values()) {
      most = Math.max(most, Math.abs(x));
    }
    for (int i = 0; i < exact.size(); i++) {
      double error = Math.abs(exact.values()[i] - rounded.values()[i]);
      assertTrue(
          error <= 1e-4 * Math.max(most, 1e-3),
          where + ": " + exact.values()[i] + " and " + rounded.values()[i]);
    }
  }
}
