package dev.heddle.ir;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Graphs with words exchanged: what is parsed can be verified, and what is verified can be run.
 * Parsing fails with a position alone, the verifier never fails, and a run fails only where a token
 * id, row, expert or position is out of range.
 */
class GraphFuzzTest {
  private static final Pattern WORD =
      Pattern.compile("%[0-9]+|@\\S+|[A-Za-z_][A-Za-z0-9_.]*|[0-9.]+|\\s+|.");
  private static final String[] POOL = {
    "T",
    "R",
    "S",
    "C",
    "1",
    "2",
    "4",
    "32",
    "0",
    "-1",
    "9223372036854775807",
    "f32",
    "f16",
    "q8_0",
    "q8_1",
    "i32",
    "%0",
    "%1"
  };
  private static final long LARGEST = 4096;

  @Test
  void mutantsAreRefusedOrRun() {
    int refused = 0;
    int faulty = 0;
    int ran = 0;
    for (long seed = 0; seed < 4000; seed++) {
      String text = mutant(seed);
      try {
        Graph graph = GraphText.parse(text);
        if (!Verifier.faults(graph).isEmpty()) {
          faulty++;
        } else if (isSmall(graph)) {
          run(graph, seed);
          ran++;
        }
      } catch (GraphParseException e) {
        refused++;
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed + ":\n" + text, e);
      }
    }
    String counts = refused + " refused, " + faulty + " faulty, " + ran + " ran";
    assertTrue(refused > 400 && faulty > 1000 && ran > 100, counts);
  }

  private static void run(Graph graph, long seed) {
    List<SequenceState> sequences = List.of(new SequenceState(), new SequenceState());
    StepInput step =
        new StepInput(
            new int[] {1, 0, 1},
            new int[] {0, 0, 1},
            new int[] {0, 1, 0},
            new int[] {2},
            sequences);
    try {
      Interpreter.run(graph, step, new SeededWeights(seed), Precision.F32);
    } catch (IllegalArgumentException e) {
      assertTrue(
          e.getMessage().matches(".*(is outside|does not follow|is read, but).*"), e.getMessage());
    }
  }

  private static boolean isSmall(Graph graph) {
    return graph.nodes().stream()
        .flatMap(n -> n.types().stream())
        .allMatch(t -> t.shape().constants() <= LARGEST);
  }

  private static String mutant(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    String text =
        GraphText.print(RandomGraphs.any(seed / 8, 1 + (int) (seed / 8 % 5)))
            .replaceAll("  ;[^\n]*", "");
    List<String> words = new ArrayList<>(WORD.matcher(text).results().map(r -> r.group()).toList());
    List<Integer> places =
        IntStream.range(0, words.size()).filter(w -> kind(words.get(w)) != 0).boxed().toList();
    for (int i = random.nextInt(1, 3); i > 0; i--) {
      int at = places.get(random.nextInt(places.size()));
      String word = words.get(at);
      List<String> alike =
          words.stream().filter(w -> kind(w) == kind(word) && !w.equals(word)).toList();
      List<String> ops = OpSchema.names();
      switch (random.nextInt(4)) {
        case 0 -> words.set(at, POOL[random.nextInt(POOL.length)]);
        case 1 ->
            words.set(
                at, OpSchema.named(word) == null ? word : ops.get(random.nextInt(ops.size())));
        default -> words.set(at, alike.isEmpty() ? word : alike.get(random.nextInt(alike.size())));
      }
    }
    return String.join("", words);
  }

  /** What a word can be exchanged with; 0 for punctuation, which is left alone. */
  private static int kind(String word) {
    char c = word.charAt(0);
    return Character.isLetter(c) ? 'a' : Character.isDigit(c) ? '0' : c == '%' || c == '@' ? c : 0;
  }
}
