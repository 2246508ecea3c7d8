package dev.heddle.gguf;

import dev.heddle.ir.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The f32 values of blocks. */
public final class Dequantiser {
  private static final ValueLayout.OfShort I16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Dequantiser() {}

  /**
   * Writes {@code count} values, whole blocks of {@code type} from byte {@code byteOffset} of {@code src} on, to {@code
   * dst[dstOffset ..]}.
   */
  public static void row(DType type, MemorySegment src, long byteOffset, float[] dst, int dstOffset, int count) {
    if (count % type.blockSize() != 0) {
      throw new IllegalArgumentException(count + " values are not whole blocks of " + type);
    }
    switch (type) {
      case F32 -> MemorySegment.copy(src, F32, byteOffset, dst, dstOffset, count);
      case F16 -> {
        for (int i = 0; i < count; i++) {
          dst[dstOffset + i] = Float.float16ToFloat(src.get(I16, byteOffset + 2L * i));
        }
      }
      case BF16 -> {
        for (int i = 0; i < count; i++) {
          dst[dstOffset + i] = Float.intBitsToFloat(src.get(I16, byteOffset + 2L * i) << 16);
        }
      }
      case Q8_0 -> {
        for (int at = 0; at < count; at += 32, byteOffset += 34) {
          float d = Float.float16ToFloat(src.get(I16, byteOffset));
          for (int i = 0; i < 32; i++) {
            dst[dstOffset + at + i] = src.get(ValueLayout.JAVA_BYTE, byteOffset + 2 + i) * d;
          }
        }
      }
      default -> throw new IllegalArgumentException("type " + type + " has no f32 values");
    }
  }
}
