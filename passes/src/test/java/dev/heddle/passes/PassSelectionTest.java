package dev.heddle.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.heddle.ir.target.Target;
import java.util.List;
import org.junit.jupiter.api.Test;

class PassSelectionTest {
  private static final List<String> REQUIRED =
      List.of("canonicalise", "layout", "schedule", "memory-plan");
  private static final List<String> WITH_INT8 =
      List.of("canonicalise", "int8-activations", "layout", "schedule", "memory-plan");

  @Test
  void noneLeavesTheStagesWithoutWhichThereIsNoPlan() {
    assertEquals(REQUIRED, selected("none", Target.jvm().withInt8Default(true)));
  }

  @Test
  void allTakesEveryStage() {
    assertEquals(
        Pipeline.STAGES.stream().map(Stage::name).toList(),
        selected("all", Target.jvm().withInt8Default(false)));
  }

  @Test
  void theTargetDecidesOnInt8ActivationsUnlessSomebodyChose() {
    assertEquals(REQUIRED, selected("", Target.jvm().withInt8Default(false)));
    assertEquals(WITH_INT8, selected("", Target.jvm().withInt8Default(true)));
    assertEquals(WITH_INT8, selected("+int8-activations", Target.jvm().withInt8Default(false)));
    assertEquals(REQUIRED, selected("-int8-activations", Target.jvm().withInt8Default(true)));
  }

  @Test
  void theLastWordOnAPassCounts() {
    assertEquals(
        WITH_INT8,
        selected("-int8-activations, +int8-activations", Target.jvm().withInt8Default(false)));
  }

  @Test
  void anUnknownPassIsRejectedWithTheNearestName() {
    assertEquals(
        "there is no pass 'int8-activation' (did you mean 'int8-activations'?); passes are "
            + "[canonicalise, int8-activations, router, gate-into-combine, layout, schedule, memory-plan]",
        rejection("-int8-activation"));
    assertEquals(
        "there is no pass 'x'; passes are [canonicalise, int8-activations, router, gate-into-combine, layout, schedule, memory-plan]",
        rejection("+x"));
  }

  @Test
  void aPassWithoutWhichThereIsNoPlanCannotBeSwitchedOff() {
    assertEquals(
        "pass 'layout' cannot be switched off: no plan can be made without it",
        rejection("-layout"));
  }

  @Test
  void aNameWithoutSignIsRejected() {
    assertEquals(
        "--passes takes none, all, or changes such as +int8-activations,-int8-activations; 'layout' starts with neither + nor -",
        rejection("layout"));
    assertThrows(IllegalArgumentException.class, () -> PassSelection.parse("+layout,"));
    assertThrows(IllegalArgumentException.class, () -> PassSelection.parse("all,none"));
  }

  private static String rejection(String text) {
    return assertThrows(IllegalArgumentException.class, () -> PassSelection.parse(text))
        .getMessage();
  }

  private static List<String> selected(String text, Target target) {
    PassSelection selection = PassSelection.parse(text);
    return Pipeline.STAGES.stream()
        .filter(s -> selection.includes(s, target))
        .map(Stage::name)
        .toList();
  }
}
