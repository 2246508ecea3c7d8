package dev.heddle.gguf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Containers written byte by byte: what the writer would never write. */
class GgufFileTest {
  @TempDir Path folder;

  /** Little-endian bytes in order. */
  private static final class Raw {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    static Raw header(int version, long tensors, long entries) {
      return new Raw().bytes("GGUF").u32(version).u64(tensors).u64(entries);
    }

    Raw bytes(String text) {
      out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
      return this;
    }

    Raw u8(int value) {
      out.write(value);
      return this;
    }

    Raw u32(int value) {
      for (int i = 0; i < 4; i++) {
        out.write(value >>> 8 * i);
      }
      return this;
    }

    Raw u64(long value) {
      return u32((int) value).u32((int) (value >>> 32));
    }

    Raw text(String text) {
      return u64(text.getBytes(StandardCharsets.UTF_8).length).bytes(text);
    }

    Raw tensor(String name, int type, long offset, long... ne) {
      text(name).u32(ne.length);
      for (long n : ne) {
        u64(n);
      }
      return u32(type).u64(offset);
    }

    /** Pads to 32 and appends {@code count} data bytes 0, 1, 2, ... */
    Raw data(int count) {
      while (out.size() % 32 != 0) {
        out.write(0);
      }
      for (int i = 0; i < count; i++) {
        out.write(i);
      }
      return this;
    }
  }

  private GgufFile open(Raw raw) throws IOException {
    Path path = folder.resolve("x.gguf");
    Files.write(path, raw.out.toByteArray());
    return GgufFile.open(path);
  }

  private void refuses(String sentence, Raw raw) {
    GgufException e = assertThrows(GgufException.class, () -> open(raw).close());
    assertEquals("x.gguf: " + sentence, e.getMessage());
  }

  private static final String DAMAGED =
      ": the file is damaged; fetch it again or convert the model again";

  @Test
  void readsVersion2() throws IOException {
    try (GgufFile file =
        open(Raw.header(2, 1, 1).text("a").u32(4).u32(7).tensor("t", 0, 0, 2, 2).data(16))) {
      assertEquals(2, file.version());
      assertEquals(Optional.of(7L), file.metadata().integer("a"));
      assertEquals(4, file.require("t").elements());
    }
  }

  @Test
  void tensorsMayComeInAnyOrderWithGapsAndWithoutDimensions() throws IOException {
    Raw raw =
        Raw.header(3, 3, 0)
            .tensor("b", 0, 64, 1)
            .tensor("a", 24, 0, 3, 1, 2)
            .tensor("s", 24, 128)
            .data(129);
    try (GgufFile file = open(raw)) {
      assertArrayEquals(new float[] {0, 1, 2, 3, 4, 5}, file.require("a").toFloats());
      assertEquals(4, file.require("b").data().byteSize());
      assertArrayEquals(new float[] {-128}, file.require("s").toFloats());
    }
  }

  @Test
  void textValuesThatAreNoUtf8AreReadWithReplacements() throws IOException {
    try (GgufFile file = open(Raw.header(3, 0, 1).text("a").u32(8).u64(2).u8('x').u8(0xff))) {
      assertEquals(Optional.of("x\ufffd"), file.metadata().text("a"));
    }
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    Path path = folder.resolve("none.gguf");
    GgufException e = assertThrows(GgufException.class, () -> GgufFile.open(path));
    assertEquals(path + ": there is no such file; check the path", e.getMessage());
  }

  @Test
  void aFolderIsNoFile() {
    GgufException e = assertThrows(GgufException.class, () -> GgufFile.open(folder));
    assertEquals(folder + ": is no regular file; give the path of a .gguf file", e.getMessage());
  }

  @Test
  void anEmptyFileEndsInsideTheMagicNumber() {
    refuses(
        "the file ends at byte 0 inside the magic number: the download is cut; fetch it again",
        new Raw());
  }

  @Test
  void entriesAreRefusedWithTheirNames() {
    refuses(
        "metadata 'a' is there twice" + DAMAGED,
        Raw.header(3, 0, 2).text("a").u32(0).u8(1).text("a").u32(0).u8(1));
    refuses(
        "metadata 'a' is a boolean of value 2, not 0 or 1" + DAMAGED,
        Raw.header(3, 0, 1).text("a").u32(7).u8(2));
    refuses(
        "the key of metadata entry 0 is empty" + DAMAGED,
        Raw.header(3, 0, 1).text("").u32(0).u8(1));
    refuses(
        "the file ends at byte 39 inside metadata 'abc': the download is cut; fetch it again",
        Raw.header(3, 0, 1).text("abc").u32(10));
    refuses(
        "metadata 'general.alignment' is 24 of type U32, not a power of two of type U32" + DAMAGED,
        Raw.header(3, 0, 1).text("general.alignment").u32(4).u32(24));
    refuses(
        "metadata 'general.alignment' is a STRING, not a U32" + DAMAGED,
        Raw.header(3, 0, 1).text("general.alignment").u32(8).text("32"));
    refuses(
        "metadata 'a???b' has value type 13, known are 0 to 12: the file is damaged or newer than heddle; fetch it again or "
            + "fetch a newer heddle",
        Raw.header(3, 0, 1).text("a\u001b\n\u0000b").u32(13).u64(0));
  }

  @Test
  void tensorsAreRefusedWithTheirNumbers() {
    refuses(
        "tensor 't' has dimension 1 of 0" + DAMAGED,
        Raw.header(3, 1, 0).tensor("t", 0, 0, 4, 0).data(64));
    refuses(
        "tensor 't' has dimension 0 of 18446744073709551615" + DAMAGED,
        Raw.header(3, 1, 0).tensor("t", 0, 0, -1).data(64));
    refuses(
        "tensor 't' starts at offset 18446744073709551584, which is no multiple of the alignment 32"
            + DAMAGED,
        Raw.header(3, 1, 0).tensor("t", 0, -32, 4).data(64));
    refuses(
        "tensor 't' of dimensions [4611686018427387904, 2] has more values than 64 bits can count"
            + DAMAGED,
        Raw.header(3, 1, 0).tensor("t", 0, 0, 1L << 62, 2).data(64));
    refuses(
        "tensor 't' of dimensions [4611686018427387904] has more values than 64 bits can count"
            + DAMAGED,
        Raw.header(3, 1, 0).tensor("t", 0, 0, 1L << 62).data(64));
    refuses(
        "tensor 't' ends at byte 68 719 476 864, the file has 160: the download is cut; fetch it again",
        Raw.header(3, 1, 0).tensor("t", 0, 1L << 36, 4, 2).data(64));
    refuses(
        "tensor 't' has type 4, which heddle does not know; fetch the model in another quantisation, or a newer heddle",
        Raw.header(3, 1, 0).tensor("t", 4, 0, 4).data(64));
    refuses(
        "tensors 'a' and 'b' overlap at offset 32 (the first ends at 48)" + DAMAGED,
        Raw.header(3, 2, 0).tensor("b", 0, 32, 4).tensor("a", 0, 0, 12).data(64));
  }

  @Test
  void aKeyOfAnotherKindIsNamed() throws IOException {
    try (GgufFile file =
        open(
            Raw.header(3, 0, 2).text("a").u32(8).text("x").text("b").u32(9).u32(4).u64(1).u32(5))) {
      GgufMetadata metadata = file.metadata();
      assertEquals(
          "x.gguf: metadata 'a' is a STRING where an integer is needed; convert the model again",
          assertThrows(GgufException.class, () -> metadata.integer("a")).getMessage());
      assertEquals(
          "x.gguf: metadata 'b' is an array of 1 U32 where a number is needed; convert the model again",
          assertThrows(GgufException.class, () -> metadata.real("b")).getMessage());
      assertArrayEquals(new long[] {5}, metadata.integers("b").orElseThrow());
      assertEquals(Optional.empty(), metadata.bool("c"));
      assertTrue(
          assertThrows(GgufException.class, metadata::architecture)
              .getMessage()
              .contains("no general.architecture"));
    }
  }

  @Test
  void aMissingTensorIsNamed() throws IOException {
    try (GgufFile file = open(Raw.header(3, 0, 0))) {
      assertEquals(
          file.path()
              + ": tensor 'output.weight' is missing (the file has 0 tensors); convert the model again with a "
              + "current converter",
          assertThrows(GgufException.class, () -> file.require("output.weight")).getMessage());
    }
  }
}
