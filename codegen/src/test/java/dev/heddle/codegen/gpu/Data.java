package dev.heddle.codegen.gpu;

import dev.heddle.ir.DType;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.abi.DeviceHeader;
import dev.heddle.ir.plan.abi.PlanarRows;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/** Seeded inputs of kernel cases, as bytes. */
final class Data {
  private Data() {}

  static float[] floats(SplittableRandom random, int n) {
    float[] values = new float[n];
    for (int i = 0; i < n; i++) {
      values[i] = (float) (random.nextDouble() * 4 - 2);
    }
    return values;
  }

  static byte[] bytes(float... values) {
    ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asFloatBuffer().put(values);
    return bytes.array();
  }

  static byte[] bytes(int... values) {
    ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asIntBuffer().put(values);
    return bytes.array();
  }

  static byte[] halves(float... values) {
    ByteBuffer bytes = ByteBuffer.allocate(2 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (float value : values) {
      bytes.putShort(Float.floatToFloat16(value));
    }
    return bytes.array();
  }

  /** An output of {@code n} f32 that nobody has written. */
  static byte[] unwritten(int n) {
    byte[] bytes = new byte[4 * n];
    java.util.Arrays.fill(bytes, (byte) 0xCB);
    return bytes;
  }

  static double[] doubles(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    double[] values = new double[bytes.length / 4];
    for (int i = 0; i < values.length; i++) {
      values[i] = in.getFloat();
    }
    return values;
  }

  /**
   * Random Q8_0 rows.
   *
   * @param gguf blocks
   * @param planar the same, repacked
   * @param values what they stand for
   */
  record Quantised(byte[] gguf, byte[] planar, float[] values) {
    static Quantised random(SplittableRandom random, int rows, int k) {
      byte[] gguf = new byte[Math.toIntExact(DType.Q8_0.bytes((long) rows * k))];
      random.nextBytes(gguf);
      ByteBuffer blocks = ByteBuffer.wrap(gguf).order(ByteOrder.LITTLE_ENDIAN);
      float[] values = new float[rows * k];
      for (int b = 0; b < values.length / 32; b++) {
        short scale = Float.floatToFloat16((float) ((random.nextDouble() - 0.5) / 32));
        blocks.putShort(34 * b, scale);
        for (int i = 0; i < 32; i++) {
          values[32 * b + i] = Float.float16ToFloat(scale) * gguf[34 * b + 2 + i];
        }
      }
      byte[] planar = new byte[Math.toIntExact(rows * PlanarRows.rowBytes(k))];
      PlanarRows.pack(MemorySegment.ofArray(gguf), 0, rows, k, MemorySegment.ofArray(planar), 0);
      return new Quantised(gguf, planar, values);
    }
  }

  /** A step: tokens with ids, positions and slots, rows wanted, and a block table for each slot. */
  record Step(int[] ids, int[] positions, int[] slots, int[] wanted, int[][] tables) {
    byte[] header(PlanKey key) {
      int bucket = key.tokens();
      int perSlot = tables[0].length;
      int[] header = new int[DeviceHeader.ints(bucket, tables.length, perSlot)];
      java.util.Arrays.fill(header, 0x7BADBAD); // entries behind T and R are never read
      header[DeviceHeader.TOKENS] = ids.length;
      header[DeviceHeader.OUT_ROWS] = wanted.length;
      header[DeviceHeader.BUCKET] = bucket;
      header[DeviceHeader.BLOCKS_PER_SLOT] = perSlot;
      System.arraycopy(ids, 0, header, DeviceHeader.ids(bucket), ids.length);
      System.arraycopy(positions, 0, header, DeviceHeader.positions(bucket), ids.length);
      System.arraycopy(slots, 0, header, DeviceHeader.slots(bucket), ids.length);
      System.arraycopy(wanted, 0, header, DeviceHeader.outRows(bucket), wanted.length);
      for (int s = 0; s < tables.length; s++) {
        System.arraycopy(
            tables[s], 0, header, DeviceHeader.blockTables(bucket) + s * perSlot, perSlot);
      }
      return bytes(header);
    }
  }
}
