package dev.heddle.ir;

/**
 * An edge's tail: result {@code result} of node {@code node}. Printed {@code %12}, or {@code %12.1}
 * for a second result.
 */
public record Value(int node, int result) implements Comparable<Value> {
  /** The first result of a node. */
  public static Value of(int node) {
    return new Value(node, 0);
  }

  @Override
  public int compareTo(Value other) {
    return node != other.node
        ? Integer.compare(node, other.node)
        : Integer.compare(result, other.result);
  }

  @Override
  public String toString() {
    return result == 0 ? "%" + node : "%" + node + "." + result;
  }
}
