package dev.heddle.gguf;

import dev.heddle.ir.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A tensor of an open file: {@code ne[0]} is the length of a row (contiguous), {@code ne[1..]}
 * count rows, as GGUF orders dimensions. {@code data} is the mapped memory, read-only, exactly the
 * tensor's bytes, valid until the file is closed.
 */
public record GgufTensor(String name, DType type, long[] ne, MemorySegment data) {

  /** Values in a row. */
  public long rowLength() {
    return ne.length == 0 ? 1 : ne[0];
  }

  /** The number of rows: the product of all dimensions but the first. */
  public long rows() {
    long rows = 1;
    for (int i = 1; i < ne.length; i++) {
      rows *= ne[i];
    }
    return rows;
  }

  /** Bytes of a row; rows follow each other without a gap. */
  public long rowBytes() {
    return type.bytes(rowLength());
  }

  /** The number of values. */
  public long elements() {
    return rowLength() * rows();
  }

  /** Writes row {@code row} as f32 values to {@code dst[0 .. rowLength)}. */
  public void row(long row, float[] dst) {
    Dequantiser.row(type, data, row * rowBytes(), dst, 0, Math.toIntExact(rowLength()));
  }

  /** All values as f32, for tensors that fit one array: norms, biases, tests. */
  public float[] toFloats() {
    if (elements() > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "tensor " + name + " has " + elements() + " values, more than one array holds");
    }
    float[] values = new float[(int) elements()];
    int length = Math.toIntExact(rowLength());
    for (int row = 0; row < rows(); row++) {
      Dequantiser.row(type, data, row * rowBytes(), values, row * length, length);
    }
    return values;
  }

  /** The dimensions as messages write them: {@code [4096, 1024]}. */
  public String shape() {
    return Arrays.toString(ne);
  }

  @Override
  public String toString() {
    return name + " " + type.text() + shape();
  }
}
