package dev.heddle.ir.plan;

import dev.heddle.ir.TensorType;
import java.util.List;

/**
 * What a device does for one step: an arena of known size, buffers with offsets and lifetimes in
 * it, and an ordered list of launches. Nothing in it depends on the tokens of a step.
 *
 * @param key what it was made for
 * @param arenaBytes size of the arena that holds all buffers
 * @param buffers every intermediate value that has memory
 * @param steps launches, in an order that respects every edge
 * @param outputs buffers that leave the step ("logits")
 */
public record Plan(
    PlanKey key, long arenaBytes, List<Buffer> buffers, List<Launch> steps, List<Output> outputs) {
  public Plan {
    buffers = List.copyOf(buffers);
    steps = List.copyOf(steps);
    outputs = List.copyOf(outputs);
  }

  /**
   * A value's memory.
   *
   * @param id index in {@link Plan#buffers()}
   * @param node graph node and
   * @param result result number whose value it holds
   * @param type the value's type with symbols
   * @param offset byte offset in the arena, a multiple of 64
   * @param bytes size for the plan's bucket
   * @param firstStep index of the launch that writes it
   * @param lastStep index of the last launch that reads it (the number of launches for outputs)
   */
  public record Buffer(
      int id,
      int node,
      int result,
      TensorType type,
      long offset,
      long bytes,
      int firstStep,
      int lastStep) {}

  /**
   * One kernel over its arguments.
   *
   * @param kernel index in the bundle's kernel list
   * @param args in the order that the kernel kind documents
   * @param nodes the graph nodes that this launch computes; their expansion is its semantics
   * @param layer model layer or -1
   */
  public record Launch(int kernel, List<Arg> args, List<Integer> nodes, int layer) {
    public Launch {
      args = List.copyOf(args);
      nodes = List.copyOf(nodes);
    }
  }

  /** A named result. */
  public record Output(String name, int buffer) {}

  /** An argument of a launch: on the JVM each becomes one address. */
  public sealed interface Arg {
    /** A buffer of the arena; {@code byteOffset} is added (slices). */
    record Buf(int buffer, long byteOffset) implements Arg {}

    /** Rows of a GGUF tensor, in the layout and type that the bundle's weight table gives. */
    record Weight(String tensor, long rowFrom, long rowTo) implements Arg {}

    /** A state's pool: blocks of 32 positions. */
    record State(String name) implements Arg {}

    /** A table of rope cosines and sines: index in the bundle's rope tables. */
    record Table(int table) implements Arg {}
  }
}
