package dev.heddle.gguf;

import dev.heddle.ir.DType;
import java.lang.foreign.MemorySegment;

/**
 * The f32 values of every type that a file holds: the reference for all kernels. Values are those
 * of ggml's own functions, bit for bit. Integers and f64 are rounded to f32.
 */
public final class Dequantiser {
  private Dequantiser() {}

  /**
   * Writes {@code count} values, whole blocks of {@code type} from byte {@code byteOffset} of
   * {@code src} on, to {@code dst[dstOffset ..]}. Allocates nothing.
   */
  public static void row(
      DType type, MemorySegment src, long byteOffset, float[] dst, int dstOffset, int count) {
    int size = type.blockSize();
    if (count % size != 0) {
      throw new IllegalArgumentException(count + " values are not whole blocks of " + type);
    }
    switch (type) {
      case F32 -> MemorySegment.copy(src, Bytes.F32, byteOffset, dst, dstOffset, count);
      case F16 -> {
        for (int i = 0; i < count; i++) {
          dst[dstOffset + i] = Bytes.f16(src, byteOffset + 2L * i);
        }
      }
      case BF16 -> {
        for (int i = 0; i < count; i++) {
          dst[dstOffset + i] = Float.intBitsToFloat(Bytes.u16(src, byteOffset + 2L * i) << 16);
        }
      }
      case F64 -> {
        for (int i = 0; i < count; i++) {
          dst[dstOffset + i] = (float) src.get(Bytes.F64, byteOffset + 8L * i);
        }
      }
      case I8 -> {
        for (int i = 0; i < count; i++) {
          dst[dstOffset + i] = Bytes.i8(src, byteOffset + i);
        }
      }
      case I16 -> {
        for (int i = 0; i < count; i++) {
          dst[dstOffset + i] = src.get(Bytes.I16, byteOffset + 2L * i);
        }
      }
      case I32 -> {
        for (int i = 0; i < count; i++) {
          dst[dstOffset + i] = src.get(Bytes.I32, byteOffset + 4L * i);
        }
      }
      case I64 -> {
        for (int i = 0; i < count; i++) {
          dst[dstOffset + i] = src.get(Bytes.I64, byteOffset + 8L * i);
        }
      }
      case Q8_1 ->
          throw new IllegalArgumentException("q8_1 is a type of activation rows, no file holds it");
      case Q4_0,
          Q4_1,
          Q5_0,
          Q5_1,
          Q8_0,
          Q1_0,
          Q2_0,
          IQ4_NL,
          MXFP4,
          NVFP4,
          Q2_K,
          Q3_K,
          Q4_K,
          Q5_K,
          Q6_K,
          IQ4_XS,
          TQ1_0,
          TQ2_0,
          IQ1_S,
          IQ1_M,
          IQ2_XXS,
          IQ2_XS,
          IQ2_S,
          IQ3_XXS,
          IQ3_S ->
          blocks(type, src, byteOffset, dst, dstOffset, count);
    }
  }

  // One loop a type, so that each is compiled with its own block method inlined.
  private static void blocks(
      DType type, MemorySegment src, long from, float[] dst, int to, int count) {
    int end = to + count;
    int size = type.blockSize();
    int bytes = type.blockBytes();
    switch (type) {
      case Q4_0 -> {
        for (; to < end; to += size, from += bytes) {
          SmallBlocks.q4_0(src, from, dst, to);
        }
      }
      case Q4_1 -> {
        for (; to < end; to += size, from += bytes) {
          SmallBlocks.q4_1(src, from, dst, to);
        }
      }
      case Q5_0 -> {
        for (; to < end; to += size, from += bytes) {
          SmallBlocks.q5_0(src, from, dst, to);
        }
      }
      case Q5_1 -> {
        for (; to < end; to += size, from += bytes) {
          SmallBlocks.q5_1(src, from, dst, to);
        }
      }
      case Q8_0 -> {
        for (; to < end; to += size, from += bytes) {
          SmallBlocks.q8_0(src, from, dst, to);
        }
      }
      case Q1_0 -> {
        for (; to < end; to += size, from += bytes) {
          SmallBlocks.q1_0(src, from, dst, to);
        }
      }
      case Q2_0 -> {
        for (; to < end; to += size, from += bytes) {
          SmallBlocks.q2_0(src, from, dst, to);
        }
      }
      case IQ4_NL -> {
        for (; to < end; to += size, from += bytes) {
          SmallBlocks.iq4Nl(src, from, dst, to);
        }
      }
      case MXFP4 -> {
        for (; to < end; to += size, from += bytes) {
          SmallBlocks.mxfp4(src, from, dst, to);
        }
      }
      case NVFP4 -> {
        for (; to < end; to += size, from += bytes) {
          SmallBlocks.nvfp4(src, from, dst, to);
        }
      }
      case Q2_K -> {
        for (; to < end; to += size, from += bytes) {
          KBlocks.q2K(src, from, dst, to);
        }
      }
      case Q3_K -> {
        for (; to < end; to += size, from += bytes) {
          KBlocks.q3K(src, from, dst, to);
        }
      }
      case Q4_K -> {
        for (; to < end; to += size, from += bytes) {
          KBlocks.q4K(src, from, dst, to);
        }
      }
      case Q5_K -> {
        for (; to < end; to += size, from += bytes) {
          KBlocks.q5K(src, from, dst, to);
        }
      }
      case Q6_K -> {
        for (; to < end; to += size, from += bytes) {
          KBlocks.q6K(src, from, dst, to);
        }
      }
      case IQ4_XS -> {
        for (; to < end; to += size, from += bytes) {
          KBlocks.iq4Xs(src, from, dst, to);
        }
      }
      case TQ1_0 -> {
        for (; to < end; to += size, from += bytes) {
          KBlocks.tq1_0(src, from, dst, to);
        }
      }
      case TQ2_0 -> {
        for (; to < end; to += size, from += bytes) {
          KBlocks.tq2_0(src, from, dst, to);
        }
      }
      case IQ1_S -> {
        for (; to < end; to += size, from += bytes) {
          CodebookBlocks.iq1S(src, from, dst, to);
        }
      }
      case IQ1_M -> {
        for (; to < end; to += size, from += bytes) {
          CodebookBlocks.iq1M(src, from, dst, to);
        }
      }
      case IQ2_XXS -> {
        for (; to < end; to += size, from += bytes) {
          CodebookBlocks.iq2Xxs(src, from, dst, to);
        }
      }
      case IQ2_XS -> {
        for (; to < end; to += size, from += bytes) {
          CodebookBlocks.iq2Xs(src, from, dst, to);
        }
      }
      case IQ2_S -> {
        for (; to < end; to += size, from += bytes) {
          CodebookBlocks.iq2S(src, from, dst, to);
        }
      }
      case IQ3_XXS -> {
        for (; to < end; to += size, from += bytes) {
          CodebookBlocks.iq3Xxs(src, from, dst, to);
        }
      }
      case IQ3_S -> {
        for (; to < end; to += size, from += bytes) {
          CodebookBlocks.iq3S(src, from, dst, to);
        }
      }
      case F32, F16, BF16, F64, I8, I16, I32, I64, Q8_1 ->
          throw new IllegalArgumentException(type + " has no blocks");
    }
  }
}
