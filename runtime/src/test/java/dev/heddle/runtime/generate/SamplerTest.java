package dev.heddle.runtime.generate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.runtime.LogitRows;
import dev.heddle.runtime.StepException;
import dev.heddle.runtime.generate.Sampler.Settings;
import org.junit.jupiter.api.Test;

class SamplerTest {
  private static final float NAN = Float.NaN;
  private static final float INF = Float.POSITIVE_INFINITY;

  private static int greedy(float... logits) {
    return new Sampler(Settings.greedy()).sample(LogitRows.of(logits.length, logits), 0, 0);
  }

  @Test
  void greedyTakesTheLowestIdAmongEquals() {
    assertEquals(1, greedy(0, 5, 5, 1));
    assertEquals(0, greedy(-0f, 0f));
    assertEquals(2, greedy(-INF, -INF, -3));
  }

  @Test
  void nanIsNeverChosenWhileThereIsANumber() {
    assertEquals(2, greedy(NAN, NAN, -INF, NAN));
    assertEquals(0, greedy(NAN, NAN));
    assertEquals(
        1,
        new Sampler(new Settings(1, 0, 1, 0, 3, new int[0]))
            .sample(LogitRows.of(3, NAN, 1, NAN), 0, 0));
  }

  @Test
  void excludedIdsAreNeverChosen() {
    LogitRows rows = LogitRows.of(4, 9, 8, 7, 6);
    assertEquals(2, new Sampler(Settings.greedy().withNever(0, 1)).sample(rows, 0, 0));
    assertEquals(
        1, new Sampler(Settings.greedy().withNever(0)).sample(LogitRows.of(2, NAN, NAN), 0, 0));
    for (int position = 0; position < 200; position++) {
      assertNotEquals(
          0, new Sampler(new Settings(1, 0, 1, 0, 1, new int[] {0})).sample(rows, 0, position));
    }
  }

  @Test
  void excludingEverythingIsTold() {
    var sampler = new Sampler(Settings.greedy().withNever(0, 1));
    var e = assertThrows(StepException.class, () -> sampler.sample(LogitRows.of(2, 1, 2), 0, 0));
    assertEquals("every token id is excluded from sampling: allow at least one", e.getMessage());
  }

  @Test
  void rowIsTheOneAskedFor() {
    assertEquals(1, new Sampler(Settings.greedy()).sample(LogitRows.of(2, 5, 1, 1, 5), 1, 0));
  }

  /** Shares of 20 000 draws. */
  private static double[] shares(Settings settings, float... logits) {
    var sampler = new Sampler(settings);
    LogitRows rows = LogitRows.of(logits.length, logits);
    double[] shares = new double[logits.length];
    for (int position = 0; position < 20_000; position++) {
      shares[sampler.sample(rows, 0, position)] += 1 / 20_000.0;
    }
    return shares;
  }

  private static float[] logs(double... probabilities) {
    float[] logits = new float[probabilities.length];
    for (int i = 0; i < logits.length; i++) {
      logits[i] = (float) Math.log(probabilities[i]);
    }
    return logits;
  }

  @Test
  void drawsFollowTheProbabilities() {
    assertArrayEquals(
        new double[] {0.1, 0.6, 0.3},
        shares(new Settings(1, 0, 1, 0, 42, new int[0]), logs(0.1, 0.6, 0.3)),
        0.012);
  }

  @Test
  void temperatureSharpens() {
    // Squares of 0.1, 0.6, 0.3 over their sum 0.46.
    double[] expected = {0.01 / 0.46, 0.36 / 0.46, 0.09 / 0.46};
    assertArrayEquals(
        expected, shares(new Settings(0.5, 0, 1, 0, 42, new int[0]), logs(0.1, 0.6, 0.3)), 0.012);
  }

  @Test
  void topKKeepsTheBest() {
    double[] expected = {0, 2 / 3.0, 1 / 3.0};
    assertArrayEquals(
        expected, shares(new Settings(1, 2, 1, 0, 42, new int[0]), logs(0.1, 0.6, 0.3)), 0.012);
  }

  @Test
  void topKTakesLowerIdsAmongEquals() {
    assertArrayEquals(
        new double[] {0.5, 0.5, 0},
        shares(new Settings(1, 2, 1, 0, 42, new int[0]), 1, 1, 1),
        0.012);
  }

  @Test
  void topPKeepsTheFewestThatReachIt() {
    float[] logits = logs(0.1, 0.6, 0.3);
    assertArrayEquals(
        new double[] {0, 1, 0}, shares(new Settings(1, 0, 0.59, 0, 42, new int[0]), logits), 1e-9);
    assertArrayEquals(
        new double[] {0, 2 / 3.0, 1 / 3.0},
        shares(new Settings(1, 0, 0.7, 0, 42, new int[0]), logits),
        0.012);
  }

  @Test
  void minPKeepsWhatIsNearTheBest() {
    float[] logits = logs(0.1, 0.6, 0.3);
    assertArrayEquals(
        new double[] {0, 2 / 3.0, 1 / 3.0},
        shares(new Settings(1, 0, 1, 0.4, 42, new int[0]), logits),
        0.012);
    assertArrayEquals(
        new double[] {0, 1, 0}, shares(new Settings(1, 0, 1, 0.6, 42, new int[0]), logits), 1e-9);
  }

  @Test
  void drawDependsOnSeedAndPositionAlone() {
    LogitRows rows = LogitRows.of(64, new float[64]);
    var settings = new Settings(1, 0, 1, 0, 7, new int[0]);
    int[] first = new int[50];
    var sampler = new Sampler(settings);
    for (int i = 0; i < 50; i++) {
      first[i] = sampler.sample(rows, 0, i);
    }
    int different = 0;
    for (int i = 49; i >= 0; i--) {
      assertEquals(first[i], new Sampler(settings).sample(rows, 0, i));
      different +=
          first[i] == new Sampler(new Settings(1, 0, 1, 0, 8, new int[0])).sample(rows, 0, i)
              ? 0
              : 1;
    }
    assertTrue(different > 40, different + " of 50 draws differ between seeds");
  }

  @Test
  void settingsOutOfRangeAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new Settings(NAN, 0, 1, 0, 0, new int[0]));
    assertThrows(IllegalArgumentException.class, () -> new Settings(1, -1, 1, 0, 0, new int[0]));
    assertThrows(IllegalArgumentException.class, () -> new Settings(1, 0, 0, 0, 0, new int[0]));
    assertThrows(IllegalArgumentException.class, () -> new Settings(1, 0, 1, 1.5, 0, new int[0]));
  }
}
