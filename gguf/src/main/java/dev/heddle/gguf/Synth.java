package dev.heddle.gguf;

import dev.heddle.ir.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Seeded weights of true shapes and types, in memory or as a file, so that a model can be run and
 * timed without its weights.
 *
 * <p>Values have unit scale in the sense that keeps a deep model finite: a row of n values has zero
 * mean and standard deviation 1 / sqrt(n), so its product with an input of unit variance has unit
 * variance; after each norm the next products start from there again, and the residual stream grows
 * like the square root of the layers. Norms are 0.9 to 1.1. A block's codes are random bits, its
 * scales fixed or one of a few, so that every type costs what real blocks of it cost.
 *
 * <p>Any part of a tensor depends on the seed, the tensor's name and the position alone: the same
 * bytes come out whether a tensor is filled at once or in chunks, on one core or on all.
 */
public final class Synth {
  private static final int CHUNK_BYTES = 4 << 20;
  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  private Synth() {}

  /** Fills a whole tensor: {@code out} has exactly its bytes. */
  public static void fill(String name, DType type, long[] ne, long seed, MemorySegment out) {
    fill(name, type, ne, seed, 0, out);
  }

  /**
   * Fills the part of a tensor that begins at its byte {@code firstByte}; begin and size are
   * multiples of the block's bytes.
   */
  public static void fill(
      String name, DType type, long[] ne, long seed, long firstByte, MemorySegment out) {
    if (firstByte % type.blockBytes() != 0 || out.byteSize() % type.blockBytes() != 0) {
      throw new IllegalArgumentException(
          "bytes " + firstByte + " + " + out.byteSize() + " are not whole blocks of " + type);
    }
    long key = key(name, seed);
    if (type.isQuantised()) {
      BlockPattern.fill(type, deviation(ne), key, firstByte, out);
      return;
    }
    Range range = range(name, ne);
    long first = firstByte / type.blockBytes();
    long count = out.byteSize() / type.blockBytes();
    for (long i = 0; i < count; i++) {
      // 24 bits of the hash: as many as an f32 in [0, 1) holds.
      float unit = (mix(key + GOLDEN * (first + i)) >>> 40) * 0x1p-24f;
      put(type, out, i, range.low + unit * (range.high - range.low));
    }
  }

  /**
   * Writes a file of these tensors with random weights; memory holds a few chunks. {@code metadata}
   * come from the caller; {@link #vocabulary} has those of a tokenizer.
   */
  public static void write(
      Path out,
      Map<String, GgufValue> metadata,
      List<GgufWriter.Tensor> tensors,
      long seed,
      Progress progress) {
    write(out, metadata, tensors, Map.of(), seed, progress);
  }

  /**
   * The same with values that some f32 tensors must have: tables such as rope factors, which are no
   * weights.
   *
   * @param given values by tensor name
   */
  public static void write(
      Path out,
      Map<String, GgufValue> metadata,
      List<GgufWriter.Tensor> tensors,
      Map<String, float[]> given,
      long seed,
      Progress progress) {
    long total = tensors.stream().mapToLong(GgufWriter.Tensor::bytes).sum();
    try (GgufWriter writer = GgufWriter.create(out, metadata, tensors);
        ParallelAppend append = new ParallelAppend(writer, progress, total)) {
      for (GgufWriter.Tensor tensor : tensors) {
        float[] values = given.get(tensor.name());
        if (values != null) {
          append.submit(tensor.name(), () -> littleEndian(values));
          continue;
        }
        int block = tensor.type().blockBytes();
        long chunk = CHUNK_BYTES / block * block;
        for (long at = 0; at < tensor.bytes(); at += chunk) {
          long first = at;
          int size = (int) Math.min(chunk, tensor.bytes() - at);
          append.submit(
              tensor.name(),
              () -> {
                MemorySegment bytes = MemorySegment.ofArray(new byte[size]);
                fill(tensor.name(), tensor.type(), tensor.ne(), seed, first, bytes);
                return bytes;
              });
        }
      }
      append.finish();
      writer.commit();
    }
  }

  private static MemorySegment littleEndian(float[] values) {
    ByteBuffer bytes =
        ByteBuffer.allocate(Float.BYTES * values.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asFloatBuffer().put(values);
    return MemorySegment.ofArray(bytes.array());
  }

  /** Metadata of a byte-level tokenizer of {@code size} tokens; see {@link ByteVocabulary}. */
  public static Map<String, GgufValue> vocabulary(int size, String pre) {
    return ByteVocabulary.metadata(size, pre);
  }

  /** The standard deviation of a weight's values: 1 / sqrt(row length). */
  static float deviation(long[] ne) {
    return (float) (1 / Math.sqrt(ne.length == 0 ? 1 : ne[0]));
  }

  private record Range(float low, float high) {}

  /** The values of an unquantised tensor are uniform in a range that its role asks for. */
  private static Range range(String name, long[] ne) {
    if (name.contains("norm")) {
      return new Range(0.9f, 1.1f);
    }
    if (name.endsWith(".bias")) {
      return new Range(-0.1f, 0.1f);
    }
    if (name.endsWith("scale") || name.startsWith("rope_f")) {
      return new Range(1, 1);
    }
    if (name.endsWith("ssm_a")) {
      // A decay rate: negative by definition.
      return new Range(-1, -0.1f);
    }
    // A uniform distribution of half-width w has deviation w / sqrt(3).
    float width = (float) Math.sqrt(3) * deviation(ne);
    return new Range(-width, width);
  }

  private static void put(DType type, MemorySegment out, long index, float value) {
    switch (type) {
      case F32 -> out.set(Bytes.F32, 4 * index, value);
      case F16 -> Bytes.putF16(out, 2 * index, value);
      case BF16 -> out.set(Bytes.I16, 2 * index, Quantiser.bf16(value));
      case F64 -> out.set(Bytes.F64, 8 * index, value);
      default -> throw new IllegalArgumentException("type " + type + " has no random weights");
    }
  }

  private static long key(String name, long seed) {
    long key = mix(seed);
    for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
      key = mix(key + GOLDEN * (b & 0xff) + 1);
    }
    return key;
  }

  /** Random bytes of a tensor from its byte {@code firstByte} on, in words of eight. */
  static void randomBytes(long key, long firstByte, MemorySegment out) {
    long size = out.byteSize();
    long at = 0;
    for (; at < size && (firstByte + at & 7) != 0; at++) {
      out.set(ValueLayout.JAVA_BYTE, at, randomByte(key, firstByte + at));
    }
    long word = firstByte + at >>> 3;
    for (; at + 8 <= size; at += 8, word++) {
      out.set(Bytes.I64, at, mix(key + GOLDEN * word));
    }
    for (; at < size; at++) {
      out.set(ValueLayout.JAVA_BYTE, at, randomByte(key, firstByte + at));
    }
  }

  private static byte randomByte(long key, long position) {
    return (byte) (mix(key + GOLDEN * (position >>> 3)) >>> 8 * (position & 7));
  }

  /**
   * A bijection of 64 bits whose output bits each depend on all input bits (the finaliser of
   * splitmix64).
   */
  private static long mix(long z) {
    z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return z ^ z >>> 31;
  }
}
