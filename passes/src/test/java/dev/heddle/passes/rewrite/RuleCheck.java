package dev.heddle.passes.rewrite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.Graph;
import dev.heddle.ir.Interpreter;
import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import dev.heddle.ir.Precision;
import dev.heddle.ir.SequenceState;
import dev.heddle.ir.StepInput;
import dev.heddle.ir.Tensor;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.Value;
import dev.heddle.ir.Verifier;
import dev.heddle.ir.WeightSource;
import dev.heddle.ir.plan.PlanKeys;
import dev.heddle.ir.target.Target;
import dev.heddle.passes.PassContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/** What a rule does to a graph, said in the words of its tests. */
final class RuleCheck<M> {
  private final Rule<M> rule;
  private Graph graph;
  private Rewriter.Result result;

  private RuleCheck(Rule<M> rule) {
    this.rule = rule;
  }

  static <M> RuleCheck<M> rule(Rule<M> rule) {
    return new RuleCheck<>(rule);
  }

  RuleCheck<M> on(Graph other) {
    graph = other;
    Verifier.verify(graph);
    result = applied(graph);
    Verifier.verify(result.graph());
    return this;
  }

  RuleCheck<M> fires(int times) {
    assertEquals(
        times, result.sites().stream().filter(Site::isFired).count(), result.sites().toString());
    return this;
  }

  /** One site, which a guard refused with this sentence. */
  RuleCheck<M> isRefused(String sentence) {
    Site site = result.sites().getFirst();
    assertTrue(!site.isFired(), site.toString());
    assertTrue(
        site.verdicts().stream().anyMatch(v -> !v.isPass() && v.sentence().equals(sentence)),
        site.verdicts().toString());
    assertEquals(rule.guards().size(), site.verdicts().size(), "every guard says something");
    return this;
  }

  /** The graph has a node of this op after the rewrite. */
  RuleCheck<M> makes(Op op) {
    assertTrue(
        result.graph().nodes().stream().anyMatch(n -> n.op().equals(op)),
        result.graph().nodes().toString());
    return this;
  }

  /**
   * The same bits before and after, for several steps with NaN, infinities and ties among the
   * weights.
   */
  RuleCheck<M> givesTheSameValues() {
    for (long seed = 0; seed < 20; seed++) {
      assertEquals(values(graph, seed), values(result.graph(), seed), "seed " + seed);
    }
    return this;
  }

  /** Sites and graph are the same whatever the order of independent nodes. */
  RuleCheck<M> inAnyOrder() {
    for (long seed = 0; seed < 30; seed++) {
      Graph other = shuffled(graph, new SplittableRandom(seed));
      Verifier.verify(other);
      Rewriter.Result after = applied(other);
      assertEquals(facts(result), facts(after), "seed " + seed);
      assertEquals(values(graph, seed), values(after.graph(), seed), "seed " + seed);
    }
    return this;
  }

  private Rewriter.Result applied(Graph g) {
    return Rewriter.apply(rule, g, new PassContext(Target.jvm(), Set.of(), PlanKeys.standard()));
  }

  private static List<String> facts(Rewriter.Result result) {
    List<String> facts = new ArrayList<>();
    for (Site site : result.sites()) {
      facts.add(
          site.isFired()
              + " "
              + site.saved()
              + " "
              + site.verdicts().stream().map(v -> v.guard() + v.isPass()).toList());
    }
    facts.addAll(result.graph().nodes().stream().map(n -> n.op().toString()).toList());
    return facts.stream().sorted().toList();
  }

  private static Map<String, String> values(Graph graph, long seed) {
    StepInput step =
        new StepInput(
            new int[] {1, 3, 2},
            new int[] {0, 1, 2},
            new int[] {0, 0, 0},
            new int[] {2},
            List.of(new SequenceState()));
    WeightSource weights = (op, type) -> RuleCheck.weights(op, type, seed);
    return Interpreter.run(graph, step, weights, Precision.F32).entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, e -> text(e.getValue())));
  }

  private static String text(Tensor tensor) {
    return switch (tensor) {
      case Tensor.Reals r -> Arrays.toString(r.values());
      case Tensor.Ints i -> Arrays.toString(i.values());
      case Tensor.Cache c -> c.name();
    };
  }

  private static float[] weights(Op.Weight op, TensorType type, long seed) {
    SplittableRandom random = new SplittableRandom(seed * 1000003 + op.tensor().hashCode());
    float[] values = new float[Math.toIntExact(type.shape().constants())];
    float[] odd = {
      Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 0f, -0f, 0.5f, 0.5f
    };
    for (int i = 0; i < values.length; i++) {
      boolean isOdd = seed > 10 && random.nextInt(12) == 0;
      values[i] = isOdd ? odd[random.nextInt(odd.length)] : (float) random.nextDouble(-1, 1);
    }
    return values;
  }

  private static Graph shuffled(Graph graph, SplittableRandom random) {
    List<Node> waiting = new ArrayList<>(graph.nodes());
    Map<Integer, Integer> number = new HashMap<>();
    List<Node> order = new ArrayList<>();
    while (!waiting.isEmpty()) {
      List<Node> ready =
          waiting.stream()
              .filter(n -> n.inputs().stream().allMatch(v -> number.containsKey(v.node())))
              .toList();
      Node next = ready.get(random.nextInt(ready.size()));
      waiting.remove(next);
      number.put(next.id(), order.size());
      order.add(
          next.withInputs(
                  next.inputs().stream()
                      .map(v -> new Value(number.get(v.node()), v.result()))
                      .toList())
              .withId(order.size()));
    }
    return new Graph(
        graph.name(),
        order,
        graph.outputs().stream()
            .map(o ->
                new Graph.Output(
                    o.name(), new Value(number.get(o.value().node()), o.value().result())))
            .toList());
  }
}
