package dev.heddle.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.DType;
import dev.heddle.ir.Graph;
import dev.heddle.ir.GraphBuilder;
import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.Value;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.PlanKeys;
import dev.heddle.ir.target.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PipelineTest {
  private static final PassContext JVM =
      new PassContext(Target.jvm(), Set.of(), PlanKeys.standard());

  @Test
  void makesAPlanForEveryKey() {
    Lowered lowered =
        Pipeline.run(
            SmallModels.tiny().graph(), JVM, PassSelection.defaults(), Observer.verifying());

    assertEquals(
        List.of(
            "step-1",
            "step-2",
            "step-4",
            "step-8",
            "step-16",
            "step-32",
            "step-64",
            "prompt-512-1",
            "prompt-512-512"),
        lowered.plans().keySet().stream().map(k -> k.text()).toList());
    assertEquals(List.of("canonicalise", "layout", "schedule", "memory-plan"), lowered.passes());
    assertEquals(List.of(), lowered.arithmetic());
  }

  @Test
  void aLayerOfAMixtureWithoutFusionTakes27Launches() {
    Lowered lowered =
        Pipeline.run(
            SmallModels.tiny().graph(), JVM, PassSelection.defaults(), Observer.verifying());

    for (Plan plan : lowered.plans().values()) {
      assertEquals(27, plan.steps().stream().filter(l -> l.layer() == 1).count());
      assertEquals(4, plan.steps().stream().filter(l -> l.layer() < 0).count());
    }
  }

  @Test
  void stepPlansShareTheirKernels() {
    Lowered lowered =
        Pipeline.run(SmallModels.tiny().graph(), JVM, PassSelection.defaults(), Observer.none());
    List<Plan> plans = List.copyOf(lowered.plans().values());

    for (Plan plan : plans.subList(1, 7)) {
      assertEquals(plans.get(0).steps(), plan.steps());
    }
  }

  @Test
  void int8ActivationsQuantiseEachValueOnceAndAreListed() {
    Lowered lowered =
        Pipeline.run(
            SmallModels.tiny().withType(DType.Q8_0).graph(),
            JVM,
            PassSelection.parse("+int8-activations"),
            Observer.verifying());

    // attention input, attention output, experts' input, glu: 4 a layer; final norm: 1.
    assertEquals(
        9, lowered.after().nodes().stream().filter(n -> n.op().text().equals("quantise")).count());
    assertEquals(1, lowered.arithmetic().size());
  }

  @Test
  void dumpsTheTextAfterEachStage(@TempDir Path folder) throws Exception {
    Pipeline.run(
        SmallModels.tiny().graph(),
        JVM,
        PassSelection.defaults(),
        new Observer(true, Optional.of(folder)));

    try (var files = Files.list(folder)) {
      assertEquals(
          List.of(
              "00-spec.txt",
              "01-canonicalise.txt",
              "02-layout.txt",
              "03-schedule.txt",
              "04-memory-plan.txt"),
          files.map(f -> f.getFileName().toString()).sorted().toList());
    }
    assertTrue(
        Files.readString(folder.resolve("04-memory-plan.txt")).contains("plan step-64 arena "));
  }

  @Test
  void plansOfTheLargestConfigurationAreMadeInSeconds() {
    long start = System.nanoTime();
    Lowered lowered =
        Pipeline.run(
            SmallModels.qwen3Moe235b().graph(),
            JVM,
            PassSelection.parse("+int8-activations"),
            Observer.none());
    double seconds = (System.nanoTime() - start) / 1e9;

    assertEquals(9, lowered.plans().size());
    assertTrue(seconds < 10, "took " + seconds + " s");
    System.out.println("qwen3-235b-a22b: all plans in " + seconds + " s");
  }

  @Test
  void aFaultInsideAPassNamesPassAndNodeAndKeepsTheGraph(@TempDir Path folder) throws Exception {
    Graph good = SmallModels.tiny().graph();
    List<Node> nodes = new ArrayList<>(good.nodes());
    Node norm = nodes.stream().filter(n -> n.op() instanceof Op.RmsNorm).findFirst().orElseThrow();
    nodes.set(nodes.indexOf(norm), norm.withInputs(List.of(norm.input(0))));
    Graph broken = new Graph("main", nodes, good.outputs());

    HeddleBug bug =
        assertThrows(
            HeddleBug.class,
            () ->
                Pipeline.run(
                    broken,
                    JVM,
                    PassSelection.defaults(),
                    new Observer(false, Optional.of(folder))));

    String start = "pass canonicalise failed at %" + norm.id() + " = rms_norm : [f32[T, 64]] (-): ";
    assertTrue(bug.getMessage().startsWith(start), bug.getMessage());
    try (var files = Files.list(folder)) {
      Path saved =
          files
              .filter(f -> f.getFileName().toString().startsWith("heddle-fault-"))
              .findFirst()
              .orElseThrow();
      assertTrue(bug.getMessage().contains(saved.toString()), bug.getMessage());
      assertTrue(Files.readString(saved).startsWith("graph main\n"));
    }
  }

  @Test
  void anOpThatMayNotStandAfterAStageIsAFault() {
    Stage int8 =
        Pipeline.STAGES.stream()
            .filter(s -> s.name().equals("int8-activations"))
            .findFirst()
            .orElseThrow();
    GraphBuilder g = new GraphBuilder();
    Value x =
        g.add(
            new Op.Embed(1),
            g.weight("e", TensorType.weight(DType.F32, 8, 4)),
            g.input(Op.InputKind.IDS));
    g.output("ids", g.addAll(new Op.Router(Op.Score.SOFTMAX, 2, 0, 1, false), List.of(x)).get(0));

    assertThrows(HeddleBug.class, () -> LegalOps.check(int8, g.build("main")));
  }

  @Test
  void weightsWithoutAKernelAndSmallWeightsAreLoadedAsF32() {
    Lowered lowered =
        Pipeline.run(
            SmallModels.tiny().withType(DType.Q5_1).graph(),
            JVM,
            PassSelection.parse("+int8-activations"),
            Observer.verifying());

    assertEquals(Set.of(DType.F32), Set.copyOf(lowered.loaded().values()));
    assertTrue(lowered.after().nodes().stream().noneMatch(n -> n.op() instanceof Op.Quantise));
  }
}
