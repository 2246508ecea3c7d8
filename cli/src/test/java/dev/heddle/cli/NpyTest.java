package dev.heddle.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NpyTest {
  @TempDir Path folder;

  @Test
  void writesWhatNumPyReads() throws Exception {
    Path file = folder.resolve("x.npy");
    try (Npy npy = new Npy(file, 2, 3)) {
      npy.write(new float[] {1, 2, 3}, 0);
      npy.write(new float[] {9, 4, 5, 6}, 1);
    }
    byte[] bytes = Files.readAllBytes(file);
    assertEquals(128 + 24, bytes.length);
    assertEquals("\u0093NUMPY\u0001\u0000", new String(bytes, 0, 8, StandardCharsets.ISO_8859_1));
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    assertEquals(118, buffer.getShort(8));
    assertEquals(
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
        new String(bytes, 10, 118, StandardCharsets.US_ASCII).strip());
    assertEquals('\n', bytes[127]);
    assertEquals(6f, buffer.getFloat(128 + 20));
  }

  @Test
  void leavesNothingWhenRowsAreMissing() throws Exception {
    Path file = folder.resolve("y.npy");
    try (Npy npy = new Npy(file, 2, 3)) {
      npy.write(new float[] {1, 2, 3}, 0);
    }
    try (var left = Files.list(folder)) {
      assertEquals(0, left.count());
    }
  }
}
