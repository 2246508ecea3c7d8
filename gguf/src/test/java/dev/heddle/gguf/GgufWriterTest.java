package dev.heddle.gguf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.DType;
import dev.heddle.ir.HeddleBug;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GgufWriterTest {
  @TempDir Path folder;

  @Test
  void aFileWrittenAgainIsTheSame() throws IOException {
    Path good = Path.of("src/test/resources/bad/good.gguf");
    Path copy = folder.resolve("copy.gguf");
    try (GgufFile in = GgufFile.open(good)) {
      List<GgufWriter.Tensor> tensors =
          in.tensors().stream()
              .map(t -> new GgufWriter.Tensor(t.name(), t.type(), t.ne()))
              .toList();
      try (GgufWriter out = GgufWriter.create(copy, in.metadata().values(), tensors)) {
        in.tensors().forEach(t -> out.append(t.data()));
        out.commit();
      }
    }
    assertArrayEquals(Files.readAllBytes(good), Files.readAllBytes(copy));
  }

  @Test
  void everyValueComesBack() {
    Map<String, GgufValue> metadata = new LinkedHashMap<>();
    metadata.put("general.architecture", GgufValue.text("llama"));
    for (GgufValue.Type type : GgufValue.Type.values()) {
      if (type.isInteger()) {
        long top = type.bytes() == 8 ? Long.MAX_VALUE : (1L << 8 * type.bytes() - 1) - 1;
        metadata.put("int." + type, new GgufValue.Int(type, top));
        metadata.put("ints." + type, new GgufValue.Ints(type, new long[] {0, 1, top}));
      }
    }
    metadata.put(
        "negative", new GgufValue.Ints(GgufValue.Type.I16, new long[] {-1, Short.MIN_VALUE}));
    metadata.put("huge", new GgufValue.Int(GgufValue.Type.U64, -1));
    metadata.put("f32", GgufValue.f32(0.1f));
    metadata.put("f64", new GgufValue.Real(GgufValue.Type.F64, 0.1));
    metadata.put(
        "f32s",
        new GgufValue.Reals(GgufValue.Type.F32, new double[] {1, 0.5, Double.POSITIVE_INFINITY}));
    metadata.put("bool", GgufValue.bool(true));
    metadata.put("bools", new GgufValue.Bools(new boolean[] {true, false, true}));
    metadata.put("text", GgufValue.text("gr\u00fc\u00df \ud83d\ude00"));
    metadata.put("texts", GgufValue.texts(List.of("", "a", "\u0120b")));
    metadata.put("none", GgufValue.texts(List.of()));
    Path path = folder.resolve("values.gguf");
    try (GgufWriter out = GgufWriter.create(path, metadata, List.of())) {
      out.commit();
    }
    try (GgufFile in = GgufFile.open(path)) {
      assertEquals(metadata, in.metadata().values());
      assertEquals(
          new ArrayList<>(metadata.keySet()), new ArrayList<>(in.metadata().values().keySet()));
      assertEquals(List.of(), in.tensors());
    }
  }

  @Test
  void chunksOfAnySizeMakeTheSameTensors() {
    List<GgufWriter.Tensor> tensors =
        List.of(
            new GgufWriter.Tensor("a", DType.F32, new long[] {3, 5}),
            new GgufWriter.Tensor("b", DType.Q8_0, new long[] {64, 2, 3}),
            new GgufWriter.Tensor("c", DType.F16, new long[] {7}));
    byte[] all = new byte[60 + 408 + 14];
    new SplittableRandom(1).nextBytes(all);
    for (int chunk : new int[] {1, 7, 60, 61, 482}) {
      Path path = folder.resolve("chunk" + chunk + ".gguf");
      try (GgufWriter out =
          GgufWriter.create(path, Map.of("general.alignment", GgufValue.u32(64)), tensors)) {
        for (int at = 0; at < all.length; at += chunk) {
          out.append(MemorySegment.ofArray(all).asSlice(at, Math.min(chunk, all.length - at)));
        }
        out.commit();
      }
      try (GgufFile in = GgufFile.open(path)) {
        assertEquals(0, in.bytes() % 64);
        assertArrayEquals(java.util.Arrays.copyOfRange(all, 0, 60), bytes(in, "a"));
        assertArrayEquals(java.util.Arrays.copyOfRange(all, 60, 468), bytes(in, "b"));
        assertArrayEquals(java.util.Arrays.copyOfRange(all, 468, 482), bytes(in, "c"));
        assertArrayEquals(new long[] {64, 2, 3}, in.require("b").ne());
      }
    }
  }

  @Test
  void anUnfinishedFileLeavesNothingAndKeepsTheOldOne() throws IOException {
    Path path = folder.resolve("model.gguf");
    Files.writeString(path, "old");
    try (GgufWriter out =
        GgufWriter.create(
            path, Map.of(), List.of(new GgufWriter.Tensor("a", DType.F32, new long[] {4})))) {
      out.append(MemorySegment.ofArray(new byte[8]));
      assertThrows(HeddleBug.class, out::commit);
    }
    assertEquals("old", Files.readString(path));
    assertEquals(List.of("model.gguf"), names());
  }

  @Test
  void bytesBeyondTheLastTensorAreRefused() {
    try (GgufWriter out = GgufWriter.create(folder.resolve("x.gguf"), Map.of(), List.of())) {
      assertThrows(HeddleBug.class, () -> out.append(MemorySegment.ofArray(new byte[1])));
    }
  }

  @Test
  void aPartLeftByAKilledWriterIsTakenOver() throws IOException {
    Files.write(folder.resolve(".model.gguf.part"), new byte[100_000]);
    Path path = folder.resolve("model.gguf");
    try (GgufWriter out = GgufWriter.create(path, Map.of(), List.of())) {
      out.commit();
    }
    try (GgufFile in = GgufFile.open(path)) {
      assertEquals(32, in.bytes());
    }
    assertEquals(List.of("model.gguf"), names());
  }

  @Test
  void twoWritersOfOneFileAreRefused() throws IOException {
    Path path = folder.resolve("model.gguf");
    try (GgufWriter first = GgufWriter.create(path, Map.of(), List.of())) {
      GgufException e =
          assertThrows(GgufException.class, () -> GgufWriter.create(path, Map.of(), List.of()));
      assertEquals(
          path + ": another writer is at work on this file; wait for it or choose another name",
          e.getMessage());
      first.commit();
    }
    assertTrue(Files.exists(path));
  }

  @Test
  void aFolderThatIsNotThereIsNamed() {
    Path path = folder.resolve("no/model.gguf");
    GgufException e =
        assertThrows(GgufException.class, () -> GgufWriter.create(path, Map.of(), List.of()));
    assertTrue(e.getMessage().startsWith(path + ": cannot be written ("), e.getMessage());
  }

  @Test
  void aFileLargerThanTheDiskIsRefusedBeforeAnythingIsWritten() throws IOException {
    Path path = folder.resolve("model.gguf");
    List<GgufWriter.Tensor> huge =
        List.of(new GgufWriter.Tensor("a", DType.F32, new long[] {1L << 20, 1L << 35}));
    GgufException e =
        assertThrows(GgufException.class, () -> GgufWriter.create(path, Map.of(), huge));
    assertTrue(e.getMessage().startsWith(path + ": needs 144 115 188 075 855 9"), e.getMessage());
    assertEquals(List.of(), names());
  }

  private static byte[] bytes(GgufFile file, String name) {
    return file.require(name).data().toArray(ValueLayout.JAVA_BYTE);
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(f -> f.getFileName().toString()).toList();
    }
  }
}
