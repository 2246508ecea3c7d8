package dev.heddle.gguf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.heddle.ir.DType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GgufSplitFilesTest {
  @TempDir Path folder;

  @BeforeEach
  void write() {
    part(1, 3, "a", "b");
    part(2, 3, "c");
    part(3, 3, "d");
  }

  @Test
  void anyPartOpensTheWholeModel() {
    for (int i = 1; i <= 3; i++) {
      try (GgufFile file = GgufFile.open(path(i))) {
        assertEquals(
            List.of("a", "b", "c", "d"), file.tensors().stream().map(GgufTensor::name).toList());
        assertEquals("llama", file.metadata().architecture());
        assertEquals(3.0f, file.require("c").toFloats()[0]);
      }
    }
  }

  @Test
  void aMissingPartIsNamed() throws IOException {
    Files.delete(path(2));
    refuses(path(2) + ": part 2 of 3 is missing; fetch it into the same folder");
  }

  @Test
  void aRenamedPartIsRefused() throws IOException {
    Path other = folder.resolve("other.gguf");
    Files.move(path(1), other);
    GgufException e = assertThrows(GgufException.class, () -> GgufFile.open(other));
    assertEquals(
        other
            + ": metadata says that this is one of 3 parts, but the name is not of the form NAME-00001-of-00003.gguf; "
            + "give the parts the names that they were published with",
        e.getMessage());
  }

  @Test
  void aPartOfAnotherPlaceIsRefused() throws IOException {
    Files.copy(path(2), path(3), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    refuses(
        path(3)
            + ": metadata split.no and split.count do not say part 3 of 3; the part belongs to another model or was "
            + "renamed; fetch it again");
  }

  @Test
  void aTensorInTwoPartsIsRefused() {
    part(3, 3, "b");
    refuses(path(3) + ": tensor 'b' is in an earlier part too; fetch all parts from one place");
  }

  @Test
  void aWrongNumberOfTensorsIsRefused() {
    part(3, 3, "d", "e");
    refuses(
        path(1)
            + ": metadata split.tensors.count promises 4 tensors, the 3 parts hold 5; fetch all parts from one place");
  }

  private void refuses(String sentence) {
    GgufException e = assertThrows(GgufException.class, () -> GgufFile.open(path(1)));
    assertEquals(sentence, e.getMessage());
  }

  private Path path(int part) {
    return folder.resolve("m-%05d-of-00003.gguf".formatted(part));
  }

  private void part(int number, int count, String... names) {
    Map<String, GgufValue> metadata = new LinkedHashMap<>();
    if (number == 1) {
      metadata.put("general.architecture", GgufValue.text("llama"));
    }
    metadata.put("split.no", new GgufValue.Int(GgufValue.Type.U16, number - 1));
    metadata.put("split.count", new GgufValue.Int(GgufValue.Type.U16, count));
    metadata.put("split.tensors.count", new GgufValue.Int(GgufValue.Type.I32, 4));
    List<GgufWriter.Tensor> tensors =
        List.of(names).stream()
            .map(n -> new GgufWriter.Tensor(n, DType.F32, new long[] {1}))
            .toList();
    try (GgufWriter out = GgufWriter.create(path(number), metadata, tensors)) {
      for (String name : names) {
        out.append(MemorySegment.ofArray(new float[] {name.charAt(0) - 'a' + 1}));
      }
      out.commit();
    }
  }
}
