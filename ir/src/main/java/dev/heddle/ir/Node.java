package dev.heddle.ir;

import java.util.List;

/**
 * One operation of a graph in SSA form.
 *
 * @param id its number; ids ascend along edges (an input's id is smaller than its reader's)
 * @param op what it computes, with typed attributes
 * @param inputs values read, in the op's order; optional inputs follow, each announced by a flag of
 *     the op
 * @param types one type for each result; most ops have one
 * @param layer the model layer it belongs to, or -1
 * @param role a short name for reports ("attn", "ffn", "router", "output"), or ""
 * @param source the spec position
 */
public record Node(
    int id,
    Op op,
    List<Value> inputs,
    List<TensorType> types,
    int layer,
    String role,
    Source source) {
  public Node {
    inputs = List.copyOf(inputs);
    types = List.copyOf(types);
  }

  /** The first (mostly only) result's type. */
  public TensorType type() {
    return types.get(0);
  }

  /** Input {@code i}. */
  public Value input(int i) {
    return inputs.get(i);
  }

  /** The first result as a value. */
  public Value value() {
    return new Value(id, 0);
  }

  /** This node with other inputs. */
  public Node withInputs(List<Value> other) {
    return new Node(id, op, other, types, layer, role, source);
  }

  /** This node under another number. */
  public Node withId(int other) {
    return new Node(other, op, inputs, types, layer, role, source);
  }
}
