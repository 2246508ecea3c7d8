package dev.heddle.gguf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Little-endian reads and writes of a block's fields at any alignment. */
final class Bytes {
  static final ValueLayout.OfShort I16 =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfInt I32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfLong I64 =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfFloat F32 =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfDouble F64 =
      ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Bytes() {}

  static int u8(MemorySegment in, long at) {
    return in.get(ValueLayout.JAVA_BYTE, at) & 0xff;
  }

  static int i8(MemorySegment in, long at) {
    return in.get(ValueLayout.JAVA_BYTE, at);
  }

  static int u16(MemorySegment in, long at) {
    return in.get(I16, at) & 0xffff;
  }

  static int i32(MemorySegment in, long at) {
    return in.get(I32, at);
  }

  static float f16(MemorySegment in, long at) {
    return Float.float16ToFloat(in.get(I16, at));
  }

  static void putU8(MemorySegment out, long at, int value) {
    out.set(ValueLayout.JAVA_BYTE, at, (byte) value);
  }

  static void putF16(MemorySegment out, long at, float value) {
    out.set(I16, at, Float.floatToFloat16(value));
  }
}
