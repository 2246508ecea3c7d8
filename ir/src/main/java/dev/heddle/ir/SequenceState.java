package dev.heddle.ir;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The caches of one sequence: for each state a row per position, as the state's element type holds
 * it.
 */
public final class SequenceState {
  private final Map<String, List<double[]>> rows = new LinkedHashMap<>();

  /** Positions that a state holds; 0 for a state never written. */
  public int length(String state) {
    return rows.getOrDefault(state, List.of()).size();
  }

  /** A position's row, flattened; a copy. */
  public double[] row(String state, int position) {
    return view(state, position).clone();
  }

  /** Forgets all rows from position {@code length} on, in every state (rollback class append). */
  public void truncate(int length) {
    for (List<double[]> list : rows.values()) {
      if (list.size() > length) {
        list.subList(length, list.size()).clear();
      }
    }
  }

  /** An independent sequence with the same rows. */
  public SequenceState copy() {
    SequenceState copy = new SequenceState();
    rows.forEach((name, list) -> copy.rows.put(name, new ArrayList<>(list)));
    return copy;
  }

  /**
   * Adds the next row, converted to an element type.
   *
   * @param position must be the state's length
   */
  public void append(String state, DType type, int position, double[] row) {
    List<double[]> list = rows.computeIfAbsent(state, name -> new ArrayList<>());
    if (position != list.size()) {
      throw new IllegalArgumentException(
          "position "
              + position
              + " does not follow the "
              + list.size()
              + " positions of state '"
              + state
              + "'");
    }
    list.add(CacheRow.convert(type, row));
  }

  /** The stored row itself, to read. */
  double[] view(String state, int position) {
    List<double[]> list = rows.getOrDefault(state, List.of());
    if (position < 0 || position >= list.size()) {
      throw new IllegalArgumentException(
          "position "
              + position
              + " of state '"
              + state
              + "' is read, but it holds "
              + list.size()
              + " positions");
    }
    return list.get(position);
  }
}
