package dev.heddle.ir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class VerifierTest {
  private static final String STATE = "%0 = state(name=\"kc\", rollback=append) : f32[C, 2, 4]\n";
  private static final String POS = "%1 = input(kind=pos) : i32[T]\n";
  private static final String ROWS =
      "%2 = @e : f32{8, 9}\n%3 = embed(@e, %1, scale=1) : f32[T, 8]\n";
  private static final String HEADS = "%4 = reshape(%3, shape=[T, 2, 4]) : f32[T, 2, 4]\n";
  private static final String APPEND =
      STATE + POS + ROWS + HEADS + "%5 = kv_append(%0, %4, %1) : f32[C, 2, 4]\n";

  @Test
  void acceptsRandomGraphs() {
    for (long seed = 0; seed < 100; seed++) {
      assertEquals(List.of(), Verifier.faults(RandomGraphs.any(seed, 30)), "seed " + seed);
      assertEquals(List.of(), Verifier.faults(RandomGraphs.smooth(seed, 30)), "seed " + seed);
    }
  }

  @Test
  void refusesTwoNodesWithOneNumber() {
    faults(
        "%0 = constant(value=1) : f32[1]\n%0 = constant(value=2) : f32[1]",
        "two nodes have the number %0");
  }

  @Test
  void refusesDescendingNumbers() {
    faults(
        "%3 = constant(value=1) : f32[1]\n%1 = constant(value=2) : f32[1]",
        "%1 = constant stands after %3, but numbers ascend");
  }

  @Test
  void refusesAReadBeforeTheValueIsMade() {
    faults(
        "%0 = neg(%1) : f32[1]\n%1 = constant(value=2) : f32[1]",
        "%0 = neg reads %1, which no node before it makes");
  }

  @Test
  void refusesAResultThatDoesNotExist() {
    faults(
        "%0 = constant(value=2) : f32[1]\n%1 = neg(%0.1) : f32[1]",
        "%1 = neg reads %0.1, but %0 = constant has one result");
  }

  @Test
  void refusesAWrongType() {
    faults(
        "%0 = constant(value=2) : f32[1]\n%1 = neg(%0) : f32[2]",
        "%1 = neg has type [f32[2]], but its inputs make it [f32[1]]");
  }

  @Test
  void refusesInputsThatDoNotFit() {
    faults(
        "%0 = @a : f32{4}\n%1 = @b : f32{3}\n%2 = add(@a, @b) : f32[4]",
        "%2 = add: '+' needs equal shapes: [4] and [3]");
  }

  @Test
  void refusesUnknownSymbols() {
    faults(
        "%0 = @a : f32{Q}",
        "%0 = weight has type f32{Q}, whose symbol Q is not T, R, S or C",
        "%0 = weight needs a type in GGUF's order without symbols, not f32{Q}");
  }

  @Test
  void refusesMoreValuesThanCanBeCounted() {
    faults("%0 = @a : f32{4294967296, 2147483647}");
    faults(
        "%0 = @a : f32{4294967296, 2147483648}",
        "%0 = weight has type f32{4294967296, 2147483648}, which has more values than 64 bits count");
  }

  @Test
  void refusesWeightsWithSeveralFaults() {
    faults(
        "%0 = @a[2:5] : f32{4, 4}", "%0 = weight takes rows 2 .. 5, but its type f32{4, 4} has 4");
    faults(
        "%0 = @a : f32[4]", "%0 = weight needs a type in GGUF's order without symbols, not f32[4]");
    faults(
        "%0 = @a : q8_0{33, 4}",
        "%0 = weight has type q8_0{33, 4}, whose rows are not whole blocks of 32");
    faults("%0 = @a : f32{4}, f32{4}", "%0 = weight has no inputs and one type, not 0 and 2");
  }

  @Test
  void refusesAStateWithoutPositions() {
    faults(
        "%0 = state(name=\"s\", rollback=append) : f32[2, 4]",
        "%0 = state needs a type [C, ..], not f32[2, 4]");
  }

  @Test
  void refusesNamesUsedTwice() {
    faults("%0 = @a : f32{4}\n%1 = @a : f32{4}", "%1 = weight defines weight @a a second time");
    faults(STATE + STATE.replace("%0", "%1"), "%1 = state defines state 'kc' a second time");
    faults(POS + POS.replace("%1", "%2"), "%2 = input defines input POS a second time");
    faults(
        "%0 = constant(value=1) : f32[1]\noutput a = %0\noutput a = %0",
        "two outputs are named 'a'");
  }

  @Test
  void refusesTwoWritersOfOneVersion() {
    faults(
        APPEND + "%6 = kv_append(%0, %4, %1) : f32[C, 2, 4]\noutput \"state:kc\" = %5",
        "%5 = kv_append and %6 = kv_append both write the version %0 of a state");
  }

  @Test
  void refusesAReadOfAnOverwrittenVersion() {
    faults(
        APPEND + "%6 = attention(%4, %0, %5, %1, scale=1) : f32[T, 2, 4]\noutput \"state:kc\" = %5",
        "%6 = attention reads the version %0 of a state, which %5 = kv_append has overwritten");
  }

  @Test
  void refusesAnAppendToSomethingElse() {
    String other =
        APPEND
            + "%6 = capture(%5, name=\"c\") : f32[C, 2, 4]\n%7 = kv_append(%6, %4, %1) : f32[C, 2, 4]\n";
    faults(
        other + "output \"state:kc\" = %5",
        "%7 = kv_append appends to %6, which is not a version of a state");
  }

  @Test
  void refusesALastVersionThatDoesNotLeave() {
    String fault =
        "%5 = kv_append writes the last version of a state, but it is not the output 'state:kc'";
    faults(APPEND, fault);
    faults(APPEND + "output \"state:kc\" = %0", fault);
  }

  @Test
  void refusesOutputsThatNoNodeMakes() {
    String text = POS + "output x = %2\noutput y = %1.1";
    faults(
        text, "output 'x' is %2, which no node makes", "output 'y' is %1.1, which no node makes");
  }

  @Test
  void throwsTheFirstSentences() {
    Graph graph = GraphText.parse("graph g\n%0 = neg(%1) : f32[1]");
    GraphException e = assertThrows(GraphException.class, () -> Verifier.verify(graph));
    assertEquals(
        "graph 'g' is not valid: %0 = neg reads %1, which no node before it makes", e.getMessage());
  }

  private static void faults(String lines, String... sentences) {
    assertEquals(List.of(sentences), Verifier.faults(GraphText.parse("graph g\n" + lines)));
  }
}
