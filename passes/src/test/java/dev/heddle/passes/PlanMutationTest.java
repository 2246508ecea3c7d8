package dev.heddle.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.SequenceState;
import dev.heddle.ir.StepInput;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.PlanFault;
import dev.heddle.ir.plan.PlanInterpreter;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.PlanKey.Rows;
import dev.heddle.ir.target.Target;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Breaks good plans in every way that a scheduler or a memory planner could, and expects the plan
 * interpreter to say so.
 */
class PlanMutationTest {
  private static final PlanKey KEY = new PlanKey(Rows.STEP, 2, 2);
  private static final Lowered GOOD =
      Pipeline.run(
          SmallModels.tiny().graph(),
          new PassContext(Target.jvm(), Set.of(), List.of(KEY)),
          PassSelection.defaults(),
          Observer.none());
  private static final Plan PLAN = GOOD.plans().get(KEY);

  @Test
  void theGoodPlanRuns() {
    assertEquals(Set.of("logits"), run(PLAN).keySet());
  }

  @Test
  void everyBufferLaidOverALiveOneIsCaught() {
    int mutants = 0;
    for (Plan.Buffer a : PLAN.buffers()) {
      for (Plan.Buffer b : PLAN.buffers()) {
        if (a.firstStep() < b.firstStep() && b.firstStep() <= a.lastStep()) {
          Plan.Buffer moved =
              new Plan.Buffer(
                  b.id(),
                  b.node(),
                  b.result(),
                  b.type(),
                  a.offset(),
                  b.bytes(),
                  b.firstStep(),
                  b.lastStep());
          assertFault(withBuffer(moved), "b" + b.id() + " over b" + a.id());
          mutants++;
        }
      }
    }
    assertTrue(mutants > 100, mutants + " mutants");
  }

  @Test
  void everyLaunchMovedBeforeItsProducerIsCaught() {
    int mutants = 0;
    for (int producer = 0; producer < PLAN.steps().size(); producer++) {
      for (int reader = producer + 1; reader < PLAN.steps().size(); reader++) {
        if (reads(PLAN.steps().get(reader), PLAN.steps().get(producer))) {
          List<Plan.Launch> steps = new ArrayList<>(PLAN.steps());
          steps.add(producer, steps.remove(reader));
          assertFault(withSteps(steps), "launch " + reader + " before " + producer);
          mutants++;
        }
      }
    }
    assertTrue(mutants > 50, mutants + " mutants");
  }

  @Test
  void attentionBeforeTheAppendThatItReadsIsCaught() {
    int attention = first(KernelKind.AttentionKernel.class);
    int append = first(KernelKind.KvAppendKernel.class);
    List<Plan.Launch> steps = new ArrayList<>(PLAN.steps());
    Collections.swap(steps, append, attention);

    assertFault(withSteps(steps), "attention first");
  }

  @Test
  void everyLifetimeThatEndsBeforeItsLastReaderIsCaught() {
    for (Plan.Buffer b : PLAN.buffers()) {
      assertFault(
          withBuffer(
              new Plan.Buffer(
                  b.id(),
                  b.node(),
                  b.result(),
                  b.type(),
                  b.offset(),
                  b.bytes(),
                  b.firstStep(),
                  b.lastStep() - 1)),
          "b" + b.id());
    }
  }

  @Test
  void everyDroppedLaunchWhoseResultIsReadIsCaught() {
    for (int i = 0; i < PLAN.steps().size(); i++) {
      List<Plan.Launch> steps = new ArrayList<>(PLAN.steps());
      steps.remove(i);
      assertFault(withSteps(steps), "without launch " + i);
    }
  }

  @Test
  void buffersThatAreTooSmallOrOutsideTheArenaAreCaught() {
    for (Plan.Buffer b : PLAN.buffers()) {
      assertFault(
          withBuffer(
              new Plan.Buffer(
                  b.id(),
                  b.node(),
                  b.result(),
                  b.type(),
                  b.offset(),
                  b.bytes() - 4,
                  b.firstStep(),
                  b.lastStep())),
          "small b" + b.id());
      assertFault(
          withBuffer(
              new Plan.Buffer(
                  b.id(),
                  b.node(),
                  b.result(),
                  b.type(),
                  PLAN.arenaBytes() - 4,
                  b.bytes(),
                  b.firstStep(),
                  b.lastStep())),
          "b" + b.id() + " at the end");
    }
  }

  @Test
  void aFaultNamesLaunchBufferAndNodes() {
    Plan.Launch norm = PLAN.steps().get(1);
    List<Plan.Launch> steps = new ArrayList<>(PLAN.steps());
    steps.add(0, steps.remove(1));

    PlanFault fault = assertThrows(PlanFault.class, () -> run(withSteps(steps)));

    assertTrue(fault.getMessage().startsWith("launch 0 (RmsNormKernel["), fault.getMessage());
    assertTrue(
        fault.getMessage().contains("for %" + norm.nodes().get(0) + ")"), fault.getMessage());
    assertTrue(
        fault.getMessage().endsWith("as buffer b0 (%4), but nobody has written it in this step"),
        fault.getMessage());
  }

  private static void assertFault(Plan plan, String what) {
    assertThrows(PlanFault.class, () -> run(plan), what);
  }

  private static java.util.Map<String, ?> run(Plan plan) {
    StepInput step = StepInput.of(new SequenceState(), 0, 5, 7);
    return new PlanInterpreter(plan, GOOD.kernels(), GOOD.ropeTables(), new SeededWeights(3))
        .run(step);
  }

  private static Plan withBuffer(Plan.Buffer buffer) {
    List<Plan.Buffer> buffers = new ArrayList<>(PLAN.buffers());
    buffers.set(buffer.id(), buffer);
    return new Plan(PLAN.key(), PLAN.arenaBytes(), buffers, PLAN.steps(), PLAN.outputs());
  }

  private static Plan withSteps(List<Plan.Launch> steps) {
    return new Plan(PLAN.key(), PLAN.arenaBytes(), PLAN.buffers(), steps, PLAN.outputs());
  }

  private static boolean reads(Plan.Launch reader, Plan.Launch producer) {
    return producer.args().get(0) instanceof Plan.Arg.Buf made
        && reader.args().lastIndexOf(made) > 0;
  }

  private static int first(Class<? extends KernelKind> kind) {
    for (int i = 0; i < PLAN.steps().size(); i++) {
      if (kind.isInstance(GOOD.kernels().get(PLAN.steps().get(i).kernel()))) {
        return i;
      }
    }
    throw new AssertionError("no launch of " + kind);
  }
}
