package dev.heddle.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.heddle.ir.Graph;
import dev.heddle.ir.Verifier;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.PlanKey.Rows;
import dev.heddle.ir.target.Target;
import dev.heddle.passes.canonical.Canonicalise;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RandomGraphTest {
  private static final List<PlanKey> KEYS =
      List.of(new PlanKey(Rows.STEP, 8, 8), new PlanKey(Rows.PROMPT, 16, 2));
  private static final PassContext CONTEXT = new PassContext(Target.jvm(), Set.of("c1"), KEYS);

  @Test
  void canonicaliseKeepsEveryBitAndChangesNothingTheSecondTime() {
    for (long seed = 0; seed < 150; seed++) {
      Graph graph = RandomGraph.of(seed);
      Verifier.verify(graph);
      Graph canonical = new Canonicalise().apply(graph, CONTEXT);
      Verifier.verify(canonical);

      assertEquals(canonical, new Canonicalise().apply(canonical, CONTEXT), "seed " + seed);
      Steps.assertSameBits(
          Steps.run(seed, 16, Steps.graph(graph, seed)),
          Steps.run(seed, 16, Steps.graph(canonical, seed)),
          "seed " + seed);
    }
  }

  @Test
  void plansComputeTheSameBitsAsTheGraphAndReadOnlyWhatIsTheirs() {
    for (long seed = 0; seed < 100; seed++) {
      Graph graph = RandomGraph.of(seed);
      Lowered lowered =
          Pipeline.run(graph, CONTEXT, PassSelection.parse("none"), Observer.verifying());
      for (Plan plan : lowered.plans().values()) {
        Steps.assertSameBits(
            Steps.run(seed, 16, Steps.graph(graph, seed)),
            Steps.run(seed, 16, Steps.plan(lowered, plan, seed)),
            "seed " + seed + ", plan " + plan.key().text());
      }
    }
  }

  @Test
  void plansWithInt8ActivationsComputeTheSameBitsAsTheirGraph() {
    for (long seed = 0; seed < 40; seed++) {
      Lowered lowered =
          Pipeline.run(
              RandomGraph.of(seed),
              CONTEXT,
              PassSelection.parse("+int8-activations"),
              Observer.verifying());
      for (Plan plan : lowered.plans().values()) {
        Steps.assertSameBits(
            Steps.run(seed, 16, Steps.graph(lowered.after(), seed)),
            Steps.run(seed, 16, Steps.plan(lowered, plan, seed)),
            "seed " + seed + ", plan " + plan.key().text());
      }
    }
  }

  @Test
  void aSmallMixtureOfExpertsGivesTheSameLogitsByGraphAndByEveryPlan() {
    Graph graph = SmallModels.tiny().graph();
    PassContext context = new PassContext(Target.jvm(), Set.of(), KEYS);
    Lowered lowered = Pipeline.run(graph, context, PassSelection.defaults(), Observer.verifying());
    for (Plan plan : lowered.plans().values()) {
      Steps.assertSameBits(
          Steps.run(1, 96, Steps.graph(graph, 1)),
          Steps.run(1, 96, Steps.plan(lowered, plan, 1)),
          plan.key().text());
    }
  }

  @Test
  void exactRulesTogetherGiveTheSameBitsByGraphAndByEveryPlan() {
    Graph graph = SmallModels.tiny().graph();
    PassContext context = new PassContext(Target.jvm(), Set.of(), KEYS);
    Lowered lowered =
        Pipeline.run(
            graph,
            context,
            PassSelection.parse("+router,+gate-into-combine"),
            Observer.verifying());

    assertEquals(
        List.of(
            "router true 5",
            "router true 5",
            "gate-into-combine true 1",
            "gate-into-combine true 1"),
        lowered.sites().stream().map(s -> s.rule() + " " + s.isFired() + " " + s.saved()).toList());
    for (Plan plan : lowered.plans().values()) {
      assertEquals(21, plan.steps().stream().filter(l -> l.layer() == 1).count());
      Steps.assertSameBits(
          Steps.run(1, 96, Steps.graph(graph, 1)),
          Steps.run(1, 96, Steps.plan(lowered, plan, 1)),
          plan.key().text());
    }
  }
}
