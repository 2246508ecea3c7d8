package dev.heddle.ir.bundle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.HeddleBug;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BundleFileTest {
  @TempDir Path folder;

  private Path written() {
    Path path = folder.resolve("m.bundle");
    BundleWriter.write(path, SmallBundle.contents());
    return path;
  }

  @Test
  void everythingIsReadBack() {
    Bundle bundle = BundleReader.open(written());

    assertEquals(SmallBundle.manifest(), bundle.manifest().withHashes(java.util.Map.of()));
    assertEquals(SmallBundle.plan(), bundle.plan("step-1"));
    assertEquals(new Bundle.PlanSize(SmallBundle.plan().key(), 128), bundle.planSize("step-1"));
    assertEquals("%0 = input(kind=ids) : i32[T]\n", bundle.graph());
    assertEquals("{}\n", bundle.report());
    assertEquals("class RmsNorm0 {}\n", bundle.kernelSource("RmsNorm0"));
    assertArrayEquals("bytes".getBytes(StandardCharsets.UTF_8), bundle.kernelBinary("RmsNorm0"));
  }

  @Test
  void bundleInMemoryEqualsTheFile() {
    assertEquals(
        BundleReader.open(written()).manifest(), Bundle.of(SmallBundle.contents()).manifest());
  }

  @Test
  void equalContentsGiveEqualBytes() throws IOException {
    byte[] first = Files.readAllBytes(written());
    Path other = folder.resolve("other.bundle");
    BundleWriter.write(other, SmallBundle.contents());
    assertArrayEquals(first, Files.readAllBytes(other));
  }

  @Test
  void entriesStandInAFixedOrder() {
    assertEquals(
        List.of(
            "manifest.json",
            "graph.txt",
            "plans/step-1.json",
            "kernels/RmsNorm0.java",
            "kernels/RmsNorm0.class",
            "report.json"),
        List.copyOf(BundleWriter.entries(SmallBundle.contents()).keySet()));
  }

  @Test
  void writingReplacesAnOlderFileAndLeavesNoOther() throws IOException {
    Path path = folder.resolve("m.bundle");
    Files.writeString(path, "old");
    written();
    BundleReader.open(path);
    try (var files = Files.list(folder)) {
      assertEquals(List.of(path), files.toList());
    }
  }

  @Test
  void failedWriteLeavesNoTemporaryFile() throws IOException {
    Path path = folder.resolve("taken.bundle");
    Files.createDirectories(path.resolve("inner"));
    assertThrows(
        UncheckedIOException.class, () -> BundleWriter.write(path, SmallBundle.contents()));
    try (var files = Files.list(folder)) {
      assertEquals(List.of(path), files.toList());
    }
  }

  @Test
  void temporaryFileOfAKilledProcessIsRemovedByTheNextWrite() throws IOException {
    Path abandoned = folder.resolve(".m.bundle.999999999999-1.tmp");
    Path alive = folder.resolve(".m.bundle." + ProcessHandle.current().pid() + "-999.tmp");
    Files.writeString(abandoned, "half");
    Files.writeString(alive, "half");
    written();
    assertFalse(Files.exists(abandoned));
    assertTrue(Files.exists(alive));
  }

  @Test
  void manifestWithoutItsKernelFilesIsABug() {
    BundleContents c = SmallBundle.contents();
    var cut = new BundleContents(c.manifest(), c.graph(), c.plans(), List.of(), c.report());
    assertThrows(HeddleBug.class, () -> BundleWriter.write(folder.resolve("m.bundle"), cut));
    assertFalse(Files.exists(folder.resolve("m.bundle")));
  }

  @Test
  void missingFileAndFolderAreNamed() {
    assertFault(folder.resolve("none.bundle"), "does not exist");
    assertFault(folder, "is not a file");
  }

  @Test
  void otherFileIsNoBundle() throws IOException {
    Path path = folder.resolve("m.gguf");
    Files.writeString(path, "GGUF....");
    assertFault(path, "is not a heddle bundle");
  }

  @Test
  void emptyFileIsNoBundle() throws IOException {
    Path path = folder.resolve("m.bundle");
    Files.write(path, new byte[0]);
    assertFault(path, "is not a heddle bundle");
  }

  @Test
  void otherZipIsNoBundle() throws IOException {
    assertFault(zip("word/document.xml", "<x/>"), "is a zip file but not a heddle bundle");
  }

  @Test
  void newerFormatSaysWhatToDo() throws IOException {
    assertFault(
        zip("manifest.json", "{\"format\":2,\"shape\":\"unheard of\"}"),
        "has bundle format 2, this heddle reads format 1; use a newer heddle or compile the model again");
  }

  @Test
  void olderFormatSaysWhatToDo() throws IOException {
    assertFault(
        zip("manifest.json", "{\"format\":0}"),
        "has bundle format 0, this heddle reads format 1; compile the model again");
  }

  @Test
  void everyCutGivesOneSentence() throws IOException {
    byte[] whole = Files.readAllBytes(written());
    Path cut = folder.resolve("cut.bundle");
    for (int n = 4; n < whole.length; n += 97) {
      Files.write(cut, Arrays.copyOf(whole, n));
      assertFault(cut, "is cut");
    }
  }

  @Test
  void changedBytesNeverPassAndNeverCrash() throws IOException {
    byte[] whole = Files.readAllBytes(written());
    long seed = 7;
    var random = new SplittableRandom(seed);
    Path path = folder.resolve("changed.bundle");
    for (int i = 0; i < 500; i++) {
      byte[] changed = whole.clone();
      int at = random.nextInt(changed.length);
      changed[at] ^= (byte) (1 << random.nextInt(8));
      Files.write(path, changed);
      try {
        assertEquals(
            SmallBundle.plan(),
            BundleReader.open(path).plan("step-1"),
            "seed " + seed + ", byte " + at);
      } catch (BundleException e) {
        assertTrue(
            e.getMessage().startsWith(path.toString()),
            "seed " + seed + ", byte " + at + ": " + e.getMessage());
      }
    }
  }

  private static void assertFault(Path path, String sentence) {
    var e = assertThrows(BundleException.class, () -> BundleReader.open(path));
    assertTrue(e.getMessage().startsWith(path.toString()), e.getMessage());
    assertTrue(e.getMessage().contains(sentence), e.getMessage());
  }

  private Path zip(String name, String text) throws IOException {
    Path path = folder.resolve("other.zip");
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    var crc = new CRC32();
    crc.update(bytes);
    try (var out = new ZipOutputStream(Files.newOutputStream(path))) {
      out.setMethod(ZipOutputStream.STORED);
      var entry = new ZipEntry(name);
      entry.setSize(bytes.length);
      entry.setCrc(crc.getValue());
      out.putNextEntry(entry);
      out.write(bytes);
    }
    return path;
  }
}
