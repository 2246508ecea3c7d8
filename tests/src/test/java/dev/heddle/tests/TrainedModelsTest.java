package dev.heddle.tests;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.gguf.GgufFile;
import dev.heddle.text.Tokenizer;
import dev.heddle.text.Vocabulary;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The trained models on their exact path against values that another implementation computed in
 * float32.
 */
class TrainedModelsTest {
  private static final double LOGIT_BOUND = 1e-3;
  private static final double EXPERT_MARGIN = 1e-4;
  private static final double GREEDY_MARGIN = 1e-3;

  @ParameterizedTest
  @ValueSource(strings = {"tiny-qwen3moe", "tiny-qwen3", "tiny-draft"})
  void promptsTokeniseAsInTheReference(String name) {
    Reference reference = Reference.read(name);
    try (GgufFile gguf = GgufFile.open(reference.gguf())) {
      Tokenizer tokenizer = Tokenizer.of(Vocabulary.of(gguf));
      for (Reference.Prompt prompt : reference.prompts()) {
        assertArrayEquals(
            prompt.ids(), tokenizer.encode(prompt.text(), true, true), name + " " + prompt.name());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tiny-qwen3moe", "tiny-qwen3", "tiny-draft"})
  void topLogitsAndExpertsAreTheReferences(String name) {
    Reference reference = Reference.read(name);
    try (Engine engine = Engine.exact(reference.gguf(), 512, 1)) {
      for (Reference.Prompt prompt : reference.prompts()) {
        RouterTap tap = new RouterTap();
        engine.observe(tap);
        float[][] rows = engine.whole(prompt.ids());
        int clean = positionsBeforeADoubtfulExpert(name, prompt, tap);
        double largest = 0;
        for (int t = 0; t < clean; t++) {
          largest = Math.max(largest, difference(prompt, t, rows[t]));
        }
        System.out.printf(
            "%s %s: largest difference of top-20 logits %.2e over %d of %d positions%n",
            name, prompt.name(), largest, clean, rows.length);
        assertTrue(
            largest <= LOGIT_BOUND,
            name + " " + prompt.name() + ": top-20 logits differ by " + largest);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tiny-qwen3moe"})
  void withTheReferencesExpertsForcedAllLogitsAreTheReferences(String name) {
    Reference reference = Reference.read(name);
    try (Engine engine = Engine.exact(reference.gguf(), 512, 1)) {
      for (Reference.Prompt prompt : reference.prompts()) {
        RouterTap tap = new RouterTap();
        for (int l = 0; l < prompt.experts().length; l++) {
          for (int t = 0; t < prompt.experts()[l].length; t++) {
            tap.force(l, t, prompt.experts()[l][t]);
          }
        }
        engine.observe(tap);
        float[][] rows = engine.whole(prompt.ids());
        for (int t = 0; t < rows.length; t++) {
          double difference = difference(prompt, t, rows[t]);
          assertTrue(
              difference <= LOGIT_BOUND,
              name + " " + prompt.name() + " position " + t + " differs by " + difference);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tiny-qwen3moe", "tiny-qwen3", "tiny-draft"})
  void greedyTokensAreTheReferences(String name) {
    Reference reference = Reference.read(name);
    int parted = 0;
    try (Engine engine = Engine.exact(reference.gguf(), 512, 1)) {
      for (Reference.Prompt prompt : reference.prompts()) {
        float[][] rows = engine.greedy(prompt.ids(), prompt.greedy().length);
        for (int i = 0; i < rows.length; i++) {
          if (Engine.argmax(rows[i]) != prompt.greedy()[i]) {
            float margin = prompt.greedyMargin()[i];
            assertTrue(
                margin < GREEDY_MARGIN,
                name
                    + " "
                    + prompt.name()
                    + " token "
                    + i
                    + " is "
                    + Engine.argmax(rows[i])
                    + " instead of "
                    + prompt.greedy()[i]
                    + ", whose margin is "
                    + margin);
            parted++;
            break;
          }
        }
      }
    }
    System.out.printf(
        "%s: %d of %d greedy continuations part where the reference is undecided%n",
        name, parted, reference.prompts().size());
  }

  /**
   * Checks the routers' choices; gives the number of positions before the first one that a doubtful
   * choice (margin below 1e-4) turned out otherwise: later positions attend to it.
   */
  private static int positionsBeforeADoubtfulExpert(
      String name, Reference.Prompt prompt, RouterTap tap) {
    int clean = prompt.ids().length;
    for (int t = 0; t < clean; t++) {
      for (int l = 0; l < prompt.experts().length; l++) {
        int[] expected = sorted(prompt.experts()[l][t]);
        int[] actual = sorted(tap.chosen(l, t));
        if (!Arrays.equals(expected, actual)) {
          assertTrue(
              prompt.expertMargin()[l][t] < EXPERT_MARGIN,
              name
                  + " "
                  + prompt.name()
                  + " layer "
                  + l
                  + " position "
                  + t
                  + ": experts "
                  + Arrays.toString(actual)
                  + " instead of "
                  + Arrays.toString(expected)
                  + ", margin "
                  + prompt.expertMargin()[l][t]);
          System.out.printf(
              "%s %s: layer %d position %d chose other experts, margin %.1e; later positions are compared with forced experts%n",
              name, prompt.name(), l, t, prompt.expertMargin()[l][t]);
          return t;
        }
      }
    }
    return clean;
  }

  private static int[] sorted(int[] ids) {
    int[] copy = ids.clone();
    Arrays.sort(copy);
    return copy;
  }

  private static double difference(Reference.Prompt prompt, int position, float[] row) {
    double largest = 0;
    assertEquals(20, prompt.topIds()[position].length);
    for (int i = 0; i < 20; i++) {
      largest =
          Math.max(
              largest,
              Math.abs(
                  (double) row[prompt.topIds()[position][i]] - prompt.topLogits()[position][i]));
    }
    return largest;
  }
}
