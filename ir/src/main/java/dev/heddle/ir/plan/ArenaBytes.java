package dev.heddle.ir.plan;

import dev.heddle.ir.DType;
import dev.heddle.ir.Dim;
import dev.heddle.ir.Q81;
import dev.heddle.ir.Shape;
import dev.heddle.ir.StepInput;
import dev.heddle.ir.Tensor;
import dev.heddle.ir.TensorType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** The arena's bytes, and for each byte the buffer whose producer wrote it last in this step. */
final class ArenaBytes {
  private static final int NOBODY = -1;

  private final Plan plan;
  private final StepInput step;
  private final MemorySegment bytes;
  private final int[] writer;

  ArenaBytes(Plan plan, StepInput step) {
    this.plan = plan;
    this.step = step;
    bytes = MemorySegment.ofArray(new byte[Math.toIntExact(plan.arenaBytes())]);
    writer = new int[Math.toIntExact(plan.arenaBytes())];
    Arrays.fill(writer, NOBODY);
  }

  /** Dimensions of a type in this step. */
  int[] concrete(TensorType type) {
    Shape shape = type.shape();
    int[] dims = new int[shape.rank()];
    for (int i = 0; i < dims.length; i++) {
      dims[i] =
          switch (shape.dim(i)) {
            case Dim.Const c -> Math.toIntExact(c.value());
            case Dim.Sym s when s.equals(Dim.T) -> step.ids().length;
            case Dim.Sym s when s.equals(Dim.R) -> step.outRows().length;
            case Dim.Sym s ->
                throw new PlanFault("a buffer has the dimension " + s + ", which no step gives");
          };
    }
    return dims;
  }

  /** Reads a buffer as a type; every byte must come from the buffer's own producer. */
  Tensor read(String reader, Plan.Arg.Buf arg, TensorType type) {
    Plan.Buffer buffer = plan.buffers().get(arg.buffer());
    int[] shape = concrete(type);
    long at = range(reader + " reads", buffer, arg.byteOffset(), size(type.dtype(), shape));
    for (long i = at; i < at + size(type.dtype(), shape); i++) {
      int by = writer[(int) i];
      if (by != buffer.id()) {
        String last =
            by == NOBODY
                ? "nobody has written it in this step"
                : name(plan.buffers().get(by)) + " has overwritten it";
        throw new PlanFault(
            reader + " reads byte " + i + " of the arena as " + name(buffer) + ", but " + last);
      }
    }
    return tensor(type.dtype(), shape, at);
  }

  /** Writes a buffer. {@code exact} values are what an op gave, as reals or integers. */
  void write(String by, Plan.Arg.Buf arg, TensorType type, Tensor value) {
    Plan.Buffer buffer = plan.buffers().get(arg.buffer());
    long size = size(type.dtype(), concrete(type));
    long at = range(by + " writes", buffer, arg.byteOffset(), size);
    switch (value) {
      case Tensor.Reals r when type.dtype() == DType.Q8_1 ->
          Q81.quantiseRow(r.toFloats(), 0, r.size(), bytes, at);
      case Tensor.Reals r ->
          MemorySegment.copy(
              r.toFloats(), 0, bytes, ValueLayout.JAVA_FLOAT_UNALIGNED, at, r.size());
      case Tensor.Ints i ->
          MemorySegment.copy(i.values(), 0, bytes, ValueLayout.JAVA_INT_UNALIGNED, at, i.size());
      case Tensor.Cache c -> throw new PlanFault(by + " writes a state into the arena");
    }
    Arrays.fill(writer, (int) at, (int) (at + size), buffer.id());
  }

  private long range(String who, Plan.Buffer buffer, long byteOffset, long size) {
    if (byteOffset < 0 || byteOffset + size > buffer.bytes()) {
      throw new PlanFault(
          who
              + " bytes "
              + byteOffset
              + " .. "
              + (byteOffset + size)
              + " of "
              + name(buffer)
              + ", which has "
              + buffer.bytes());
    }
    long at = buffer.offset() + byteOffset;
    if (buffer.offset() < 0 || at + size > writer.length) {
      throw new PlanFault(
          who + " " + name(buffer) + " outside the arena of " + writer.length + " bytes");
    }
    return at;
  }

  private Tensor tensor(DType dtype, int[] shape, long at) {
    int size = Tensor.size(shape);
    if (dtype == DType.I32) {
      int[] values = new int[size];
      MemorySegment.copy(bytes, ValueLayout.JAVA_INT_UNALIGNED, at, values, 0, size);
      return new Tensor.Ints(values, shape);
    }
    float[] floats = new float[size];
    if (dtype == DType.Q8_1) {
      Q81.dequantiseRow(bytes, at, floats, 0, size);
    } else {
      MemorySegment.copy(bytes, ValueLayout.JAVA_FLOAT_UNALIGNED, at, floats, 0, size);
    }
    double[] values = new double[size];
    for (int i = 0; i < size; i++) {
      values[i] = floats[i];
    }
    return new Tensor.Reals(values, shape);
  }

  private static long size(DType dtype, int[] shape) {
    if (dtype != DType.F32 && dtype != DType.I32 && dtype != DType.Q8_1) {
      throw new PlanFault("a buffer holds f32, i32 or q8_1, not " + dtype.text());
    }
    return dtype.bytes(Tensor.size(shape));
  }

  static String name(Plan.Buffer buffer) {
    return "buffer b"
        + buffer.id()
        + " (%"
        + buffer.node()
        + (buffer.result() == 0 ? "" : "." + buffer.result())
        + ")";
  }
}
