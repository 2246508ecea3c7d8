package dev.heddle.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.StringJoiner;
import org.junit.jupiter.api.Test;

class StagesTest {
  private static final LaunchCost SHORT = new LaunchCost(100, 0, 0);
  private static final LaunchCost LONG = new LaunchCost(20_000, 0, 0);
  private static final LaunchCost HEAD = new LaunchCost(0, 50_000, 0);
  private static final LaunchCost ATTENTION = new LaunchCost(0, 0, 200);

  /** Launches of each stage, shared ones with a star. */
  private static String divided(Stages stages, int tokens, int outRows, double positions) {
    stages.divide(tokens, outRows, positions);
    var text = new StringJoiner(" ");
    for (int i = 0; i < stages.count(); i++) {
      text.add(
          stages.first(i) + ".." + (stages.first(i + 1) - 1) + (stages.isShared(i) ? "*" : ""));
    }
    return text.toString();
  }

  @Test
  void shortLaunchesInARowAreOneStage() {
    var stages =
        new Stages(new LaunchCost[] {SHORT, SHORT, LONG, LONG, SHORT, ATTENTION, SHORT, HEAD});
    assertEquals("0..1 2..2* 3..3* 4..6 7..7*", divided(stages, 1, 1, 1));
  }

  @Test
  void sizeOfTheStepDecides() {
    var stages =
        new Stages(new LaunchCost[] {SHORT, SHORT, LONG, LONG, SHORT, ATTENTION, SHORT, HEAD});
    assertEquals("0..1 2..2* 3..3* 4..4 5..5* 6..7", divided(stages, 1, 0, 1000));
    assertEquals(
        "0..0* 1..1* 2..2* 3..3* 4..4* 5..5* 6..6* 7..7*", divided(stages, 512, 1, 512 * 256));
  }

  @Test
  void planOfShortLaunchesIsOneStage() {
    assertEquals("0..2", divided(new Stages(new LaunchCost[] {SHORT, SHORT, SHORT}), 1, 1, 1));
    assertEquals("", divided(new Stages(new LaunchCost[0]), 1, 1, 1));
  }

  @Test
  void longLaunchesAreTakenInPieces() {
    var stages = new Stages(new LaunchCost[] {LONG, HEAD});
    stages.divide(1, 20, 1);
    assertEquals(0, stages.pieces(0));
    assertEquals(10, stages.pieces(1));
    assertEquals(0, stages.take(1));
    assertEquals(1, stages.take(1));
    stages.divide(1, 1000, 1);
    assertEquals(32, stages.pieces(1));
    assertEquals(0, stages.take(1));
  }
}
