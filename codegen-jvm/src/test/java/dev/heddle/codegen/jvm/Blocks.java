package dev.heddle.codegen.jvm;

import dev.heddle.ir.DType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/**
 * Random rows of any weight type with sane scales, and what they mean, by plain loops over one
 * value at a time.
 */
final class Blocks {
  private Blocks() {}

  static byte[] random(DType type, long values, SplittableRandom random) {
    var bytes = new byte[Math.toIntExact(type.bytes(values))];
    random.nextBytes(bytes);
    var data = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int size = type.blockBytes();
    for (int at = 0; at < bytes.length; at += size) {
      switch (type) {
        case F32 -> data.putFloat(at, (float) random.nextDouble(-1, 1));
        case F16 ->
            data.putShort(
                at,
                Float.floatToFloat16(
                    (float) random.nextDouble(-1, 1) * (random.nextInt(4) == 0 ? 1e-5f : 1f)));
        case BF16 ->
            data.putShort(
                at, (short) (Float.floatToRawIntBits((float) random.nextDouble(-1, 1)) >>> 16));
        case Q8_0, Q4_0 -> data.putShort(at, half(random));
        case MXFP4 -> data.put(at, (byte) random.nextInt(118, 126));
        case Q4_K, Q5_K -> {
          data.putShort(at, half(random));
          data.putShort(at + 2, half(random));
        }
        case Q6_K -> data.putShort(at + 208, half(random));
        case Q8_1 -> {
          float d = (float) random.nextDouble(0.001, 0.02);
          int sum = 0;
          for (int i = 0; i < 32; i++) {
            byte q = (byte) random.nextInt(-127, 128);
            data.put(at + i, q);
            sum += q;
          }
          data.putFloat(at + 32, d);
          data.putFloat(at + 36, d * sum);
        }
        default -> throw new IllegalArgumentException(type.text());
      }
    }
    return bytes;
  }

  private static short half(SplittableRandom random) {
    return Float.floatToFloat16((float) random.nextDouble(-0.02, 0.02));
  }

  /** Value {@code index} of rows of this type. */
  static double value(DType type, byte[] bytes, long index) {
    var data = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int b = Math.toIntExact(index / type.blockSize() * type.blockBytes());
    int i = (int) (index % type.blockSize());
    return switch (type) {
      case F32 -> data.getFloat(b);
      case F16 -> Float.float16ToFloat(data.getShort(b));
      case BF16 -> Float.intBitsToFloat(data.getShort(b) << 16);
      case Q8_0 -> (double) Float.float16ToFloat(data.getShort(b)) * data.get(b + 2 + i);
      case Q8_1 -> (double) data.getFloat(b + 32) * data.get(b + i);
      case Q4_0 ->
          Float.float16ToFloat(data.getShort(b))
              * (double) (nibble(data.get(b + 2 + i % 16), i / 16) - 8);
      case MXFP4 -> {
        double[] table = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
        int q = nibble(data.get(b + 1 + i % 16), i / 16);
        yield Math.pow(2, (data.get(b) & 255) - 127) * table[q & 7] * (q > 7 ? -1 : 1);
      }
      case Q4_K, Q5_K -> {
        int group = i / 32;
        int scale;
        int minimum;
        if (group < 4) {
          scale = data.get(b + 4 + group) & 63;
          minimum = data.get(b + 8 + group) & 63;
        } else {
          scale = data.get(b + 8 + group) & 15 | (data.get(b + group) & 0xc0) >> 2;
          minimum = (data.get(b + 8 + group) & 0xf0) >> 4 | (data.get(b + 4 + group) & 0xc0) >> 2;
        }
        int quants = type == DType.Q4_K ? 16 : 48;
        int q = nibble(data.get(b + quants + group / 2 * 32 + i % 32), group % 2);
        if (type == DType.Q5_K) {
          q |= (data.get(b + 16 + i % 32) >> group & 1) << 4;
        }
        yield (double) Float.float16ToFloat(data.getShort(b)) * scale * q
            - (double) Float.float16ToFloat(data.getShort(b + 2)) * minimum;
      }
      case Q6_K -> {
        int half = i / 128;
        int quarter = i % 128 / 32;
        int l = i % 32;
        int low = nibble(data.get(b + half * 64 + quarter % 2 * 32 + l), quarter / 2);
        int high = data.get(b + 128 + half * 32 + l) >> 2 * quarter & 3;
        yield (double) Float.float16ToFloat(data.getShort(b + 208))
            * data.get(b + 192 + i / 16)
            * ((low | high << 4) - 32);
      }
      default -> throw new IllegalArgumentException(type.text());
    };
  }

  private static int nibble(byte b, int which) {
    return which == 0 ? b & 15 : (b & 255) >> 4;
  }
}
