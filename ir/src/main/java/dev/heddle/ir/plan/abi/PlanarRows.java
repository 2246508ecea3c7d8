package dev.heddle.ir.plan.abi;

import dev.heddle.ir.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The layout {@code "planar_rows"} of Q8_0 matrices: a row is its k int8 values, then its k/32 f16
 * scales, then zeros up to a multiple of 16 bytes. GGUF's blocks of 34 bytes allow no aligned wide
 * load; here every load of 16 values is one, and a range of rows is still one address.
 */
public final class PlanarRows {
  /** The name in a bundle's weight table. */
  public static final String NAME = "planar_rows";

  private static final int VALUES = DType.Q8_0.blockSize();
  private static final int SCALE_BYTES = 2;
  private static final int ALIGNMENT = 16;

  private PlanarRows() {}

  /** Bytes of a row of {@code k} values; k is a multiple of 32. */
  public static long rowBytes(long k) {
    long used = k + DType.Q8_0.bytes(k) / DType.Q8_0.blockBytes() * SCALE_BYTES;
    return (used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  /**
   * Repacks {@code rows} rows of {@code k} values.
   *
   * @param gguf Q8_0 blocks from {@code from} on: an f16 scale, then 32 int8
   * @param out receives rows * rowBytes(k) bytes from {@code at} on
   */
  public static void pack(
      MemorySegment gguf, long from, long rows, long k, MemorySegment out, long at) {
    long blocks = k / VALUES;
    long rowBytes = rowBytes(k);
    for (long row = 0; row < rows; row++) {
      long in = from + row * DType.Q8_0.bytes(k);
      long to = at + row * rowBytes;
      for (long block = 0; block < blocks; block++, in += DType.Q8_0.blockBytes()) {
        MemorySegment.copy(gguf, in + SCALE_BYTES, out, to + block * VALUES, VALUES);
        short scale = gguf.get(ValueLayout.JAVA_SHORT_UNALIGNED, in);
        out.set(ValueLayout.JAVA_SHORT_UNALIGNED, to + k + block * SCALE_BYTES, scale);
      }
      long used = k + blocks * SCALE_BYTES;
      out.asSlice(to + used, rowBytes - used).fill((byte) 0);
    }
  }
}
