package dev.heddle.tests;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Tiny models of every family and many weight types against logits, router choices and greedy ids
 * of another implementation.
 */
class GoldenLogitsTest {
  @Test
  void allFamiliesHaveGoldens() throws IOException {
    assertEquals(
        "llama-bias llama-rope3 llama-zoo qwen3-q8 qwen3-tied qwen3moe-e16k4 qwen3moe-e8k2 qwen3moe-q4km",
        String.join(" ", Golden.all().map(Golden::name).toList()));
  }

  @TestFactory
  Stream<DynamicTest> exactPathMeetsTheReference() throws IOException {
    return Golden.all().map(golden -> DynamicTest.dynamicTest(golden.name(), () -> check(golden)));
  }

  private static void check(Golden golden) {
    try (Engine engine = Engine.exact(golden.gguf(), 128, 1)) {
      RouterTap tap = new RouterTap();
      engine.observe(tap);
      Safetensors reference = golden.tensors();
      int[][] prompts = golden.prompts();

      near(golden, "logits.0", reference.rows("logits.0"), engine.whole(prompts[0]));
      routers(golden, 0, tap);
      near(golden, "logits.1", reference.rows("logits.1"), engine.whole(prompts[1]));
      routers(golden, 1, tap);
      near(
          golden,
          "logits.2.tail",
          reference.rows("logits.2.tail"),
          Arrays.copyOfRange(engine.whole(prompts[2]), 40, 64));
      routers(golden, 2, tap);

      near(golden, "step.1", reference.rows("step.1"), engine.steps(prompts[1]));
      routers(golden, 1, tap);
      near(
          golden,
          "step.2.last",
          reference.rows("step.2.last"),
          new float[][] {engine.steps(prompts[2])[63]});
      routers(golden, 2, tap);

      for (int p = 0; p < prompts.length; p++) {
        float[][] rows = engine.greedy(prompts[p], 32);
        assertArrayEquals(
            golden.greedy()[p],
            Stream.of(rows).mapToInt(Engine::argmax).toArray(),
            golden.name() + " greedy, prompt " + p);
        if (p == 1) {
          near(golden, "greedy.1.last", reference.rows("greedy.1.last"), new float[][] {rows[31]});
        }
      }
    }
  }

  private static void near(Golden golden, String what, float[][] expected, float[][] actual) {
    assertEquals(expected.length, actual.length, golden.name() + " " + what + ": rows");
    double largest = 0;
    for (int t = 0; t < expected.length; t++) {
      assertEquals(
          expected[t].length, actual[t].length, golden.name() + " " + what + ": vocabulary");
      for (int i = 0; i < expected[t].length; i++) {
        double difference = Math.abs((double) expected[t][i] - actual[t][i]);
        assertTrue(
            difference <= golden.bound(),
            golden.name()
                + " "
                + what
                + "["
                + t
                + "]["
                + i
                + "]: "
                + actual[t][i]
                + " instead of "
                + expected[t][i]
                + ", bound "
                + golden.bound());
        largest = Math.max(largest, difference);
      }
    }
    System.out.printf(
        "%s %s: largest difference %.2e, bound %.2e%n",
        golden.name(), what, largest, golden.bound());
  }

  private static void routers(Golden golden, int prompt, RouterTap tap) {
    if (golden.routerLayers().length == 0) {
      return;
    }
    int[][][] ids = golden.tensors().cube("router.ids." + prompt);
    for (int m = 0; m < ids.length; m++) {
      for (int t = 0; t < ids[m].length; t++) {
        assertArrayEquals(
            ids[m][t],
            tap.chosen(golden.routerLayers()[m], t),
            golden.name()
                + " experts, prompt "
                + prompt
                + " layer "
                + golden.routerLayers()[m]
                + " position "
                + t);
      }
    }
  }
}
