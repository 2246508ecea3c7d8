package dev.heddle.gguf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.heddle.ir.DType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damaged copies of sound files open or give one sentence, in bounded time and memory. */
class GgufMutationTest {
  private static final int MUTANTS = 20_000;
  private static final long SEED = 12;

  /** The largest seed has 12 kB; boxed and decoded twenty times over it is far below this. */
  private static final long MOST_BYTES = 4 << 20;

  private static final long MOST_NANOS = 2_000_000_000L;
  private static final long[] EXTREMES = {
    0,
    1,
    -1,
    2,
    7,
    8,
    12,
    13,
    31,
    32,
    33,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    1 << 20,
    1 << 24,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    0xffffffffL,
    1L << 32,
    1L << 40,
    1L << 61,
    1L << 62,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    Long.MAX_VALUE - 31
  };

  @TempDir Path folder;

  @Test
  void aMutantOpensOrGivesOneSentence() throws IOException {
    List<byte[]> seeds =
        List.of(
            Files.readAllBytes(Path.of("src/test/resources/bad/good.gguf")),
            everyKindOfValue(),
            everyKindOfTensor());
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    SplittableRandom random = new SplittableRandom(SEED);
    int opened = 0;
    int refused = 0;
    for (int i = 0; i < MUTANTS; i++) {
      byte[] mutant = mutant(seeds, random);
      String which = "mutant " + i + " of seed " + SEED;
      long before = threads.getCurrentThreadAllocatedBytes();
      long start = System.nanoTime();
      try {
        open(mutant, i % 20 == 0);
        opened++;
      } catch (GgufException e) {
        refused++;
        assertTrue(
            e.getMessage().length() < 500 && !e.getMessage().contains("\n"),
            () -> which + ": " + e.getMessage());
        assertTrue(e.getMessage().startsWith("m.gguf: "), () -> which + ": " + e.getMessage());
      } catch (RuntimeException | Error e) {
        throw new AssertionError(which + ": " + e, e);
      }
      long bytes = threads.getCurrentThreadAllocatedBytes() - before;
      assertTrue(bytes < MOST_BYTES, () -> which + " allocated " + bytes + " bytes");
      assertTrue(System.nanoTime() - start < MOST_NANOS, () -> which + " took too long");
    }
    assertEquals(MUTANTS, opened + refused);
    // Both ends are tested: a generator that only makes rubbish, or only harmless changes, proves
    // nothing.
    assertTrue(
        opened > MUTANTS / 20 && refused > MUTANTS / 4,
        opened + " opened, " + refused + " refused");
  }

  /**
   * Opens as the reader does, from memory or, where asked, through a real file; reads the last row
   * of every tensor.
   */
  private void open(byte[] bytes, boolean isFile) throws IOException {
    if (isFile) {
      Path path = folder.resolve("m.gguf");
      Files.write(path, bytes);
      try (GgufFile file = GgufFile.open(path)) {
        file.tensors().forEach(GgufMutationTest::readLastRow);
      } catch (GgufException e) {
        throw new GgufException(e.getMessage().replace(path.toString(), "m.gguf"), e);
      }
    } else {
      new GgufParser("m.gguf", MemorySegment.ofArray(bytes))
          .parse()
          .tensors()
          .forEach(GgufMutationTest::readLastRow);
    }
  }

  private static void readLastRow(GgufTensor tensor) {
    if (tensor.rowLength() <= 1 << 14) {
      tensor.row(tensor.rows() - 1, new float[(int) tensor.rowLength()]);
    }
  }

  private static byte[] mutant(List<byte[]> seeds, SplittableRandom random) {
    byte[] bytes = seeds.get(random.nextInt(seeds.size())).clone();
    int changes = 1 + random.nextInt(3);
    for (int i = 0; i < changes && bytes.length > 0; i++) {
      bytes = change(bytes, seeds, random);
    }
    return bytes;
  }

  private static byte[] change(byte[] bytes, List<byte[]> seeds, SplittableRandom random) {
    int at = random.nextInt(random.nextInt(4) == 0 ? bytes.length : Math.min(bytes.length, 3000));
    switch (random.nextInt(8)) {
      case 0, 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 2 -> bytes[at] = (byte) random.nextInt(256);
      case 3 -> put(bytes, at, EXTREMES[random.nextInt(EXTREMES.length)], 4);
      case 4 -> put(bytes, at, EXTREMES[random.nextInt(EXTREMES.length)], 8);
      case 5 -> bytes[at] += (byte) (random.nextBoolean() ? 1 : -1);
      case 6 -> {
        return Arrays.copyOf(bytes, random.nextInt(bytes.length));
      }
      default -> {
        byte[] donor = seeds.get(random.nextInt(seeds.size()));
        int from = random.nextInt(donor.length);
        int length = 1 + random.nextInt(Math.min(200, donor.length - from));
        int removed = random.nextBoolean() ? Math.min(length, bytes.length - at) : 0;
        byte[] spliced = new byte[bytes.length + length - removed];
        System.arraycopy(bytes, 0, spliced, 0, at);
        System.arraycopy(donor, from, spliced, at, length);
        System.arraycopy(bytes, at + removed, spliced, at + length, bytes.length - at - removed);
        return spliced;
      }
    }
    return bytes;
  }

  private static void put(byte[] bytes, int at, long value, int size) {
    for (int i = 0; i < size && at + i < bytes.length; i++) {
      bytes[at + i] = (byte) (value >>> 8 * i);
    }
  }

  private byte[] everyKindOfValue() throws IOException {
    Map<String, GgufValue> metadata = new LinkedHashMap<>();
    metadata.put("general.alignment", GgufValue.u32(64));
    for (GgufValue.Type type : GgufValue.Type.values()) {
      if (type.isInteger()) {
        metadata.put("i." + type, new GgufValue.Int(type, 1));
        metadata.put("n." + type, new GgufValue.Ints(type, new long[] {1, 2, 3}));
      }
    }
    metadata.put("r", new GgufValue.Real(GgufValue.Type.F64, 1));
    metadata.put("rs", new GgufValue.Reals(GgufValue.Type.F32, new double[5]));
    metadata.put("b", GgufValue.bool(true));
    metadata.put("bs", new GgufValue.Bools(new boolean[9]));
    metadata.put("ts", GgufValue.texts(List.of("a", "", "\u00e9\u00e9")));
    return written(metadata, List.of(new GgufWriter.Tensor("t", DType.F32, new long[] {4, 2})));
  }

  private byte[] everyKindOfTensor() throws IOException {
    List<GgufWriter.Tensor> tensors =
        Arrays.stream(DType.values())
            .filter(t -> t.ggmlId() >= 0)
            .map(t -> new GgufWriter.Tensor("blk.0." + t, t, new long[] {t.blockSize(), 1, 2}))
            .toList();
    return written(Map.of("general.architecture", GgufValue.text("llama")), tensors);
  }

  private byte[] written(Map<String, GgufValue> metadata, List<GgufWriter.Tensor> tensors)
      throws IOException {
    Path path = folder.resolve("seed.gguf");
    try (GgufWriter out = GgufWriter.create(path, metadata, tensors)) {
      for (GgufWriter.Tensor tensor : tensors) {
        out.append(MemorySegment.ofArray(new byte[(int) tensor.bytes()]));
      }
      out.commit();
    }
    return Files.readAllBytes(path);
  }
}
