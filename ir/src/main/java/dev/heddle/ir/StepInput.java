package dev.heddle.ir;

import java.util.List;

/**
 * What one step brings. T is the number of ids, R the number of out rows; both may be 0.
 *
 * @param ids token ids [T]
 * @param positions position of each token in its sequence [T]; those of one sequence ascend by one
 *     from its length
 * @param slots index into {@code sequences} of each token [T]
 * @param outRows tokens whose rows are wanted [R]
 * @param sequences the caches, held by the caller; a step appends to them
 */
public record StepInput(
    int[] ids, int[] positions, int[] slots, int[] outRows, List<SequenceState> sequences) {
  public StepInput {
    if (ids.length != positions.length || ids.length != slots.length) {
      throw new IllegalArgumentException(
          "a step needs as many ids as positions and slots: "
              + ids.length
              + ", "
              + positions.length
              + ", "
              + slots.length);
    }
    sequences = List.copyOf(sequences);
  }

  /** Tokens of one sequence from position {@code from} on, with every row wanted. */
  public static StepInput of(SequenceState sequence, int from, int... ids) {
    int[] positions = new int[ids.length];
    int[] rows = new int[ids.length];
    for (int t = 0; t < ids.length; t++) {
      positions[t] = from + t;
      rows[t] = t;
    }
    return new StepInput(ids, positions, new int[ids.length], rows, List.of(sequence));
  }

  /** The sequence of a token. */
  SequenceState sequenceOf(int token) {
    int slot = slots[token];
    if (slot < 0 || slot >= sequences.size()) {
      throw new IllegalArgumentException(
          "slot "
              + slot
              + " of token "
              + token
              + " is none of the step's "
              + sequences.size()
              + " sequences");
    }
    return sequences.get(slot);
  }

  /** The value of a symbol in this step; C has none, it differs by sequence. */
  int valueOf(Dim.Sym symbol) {
    return switch (symbol.name()) {
      case "T" -> ids.length;
      case "R" -> outRows.length;
      case "S" -> sequences.size();
      default -> throw new GraphException("the symbol " + symbol + " has no value in a step");
    };
  }
}
