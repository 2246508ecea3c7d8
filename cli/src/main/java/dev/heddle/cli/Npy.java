package dev.heddle.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Writes a NumPy array file (format 1.0) of f32 rows, one row after the other, so that logits of
 * any length need one row of memory. The number of rows stands in the header and must be known. The
 * file appears under its name only when all rows are there: {@link #close()} renames it.
 */
final class Npy implements AutoCloseable {
  private final Path path;
  private final Path written;
  private final FileChannel file;
  private final ByteBuffer row;
  private long missing;

  /** An array of shape [rows, columns], little-endian f32, in C order. */
  Npy(Path path, long rows, int columns) throws IOException {
    String header =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (" + rows + ", " + columns + "), }";
    // The data starts at a multiple of 64 bytes; the header ends with a line feed.
    int padded = Math.ceilDiv(10 + header.length() + 1, 64) * 64 - 10;
    byte[] text =
        (header + " ".repeat(padded - 1 - header.length()) + "\n")
            .getBytes(StandardCharsets.US_ASCII);
    ByteBuffer start = ByteBuffer.allocate(10 + padded).order(ByteOrder.LITTLE_ENDIAN);
    start
        .put((byte) 0x93)
        .put("NUMPY".getBytes(StandardCharsets.US_ASCII))
        .put((byte) 1)
        .put((byte) 0);
    start.putShort((short) padded).put(text).flip();
    this.path = path;
    // A device or a pipe is written as it is; nothing can be renamed onto it.
    written =
        Files.exists(path) && !Files.isRegularFile(path)
            ? path
            : path.resolveSibling("." + path.getFileName() + ".part");
    missing = rows;
    file = open(written, path);
    row = ByteBuffer.allocate(columns * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    writeAll(start);
  }

  /** Opens {@code file}; a missing folder is told by the name that the user gave. */
  private static FileChannel open(Path file, Path asked) throws IOException {
    try {
      return FileChannel.open(
          file,
          StandardOpenOption.CREATE,
          StandardOpenOption.WRITE,
          StandardOpenOption.TRUNCATE_EXISTING);
    } catch (NoSuchFileException e) {
      throw new NoSuchFileException(asked.toString());
    }
  }

  /** Appends {@code values[from .. from + columns)}. */
  void write(float[] values, int from) {
    row.clear();
    row.asFloatBuffer().put(values, from, row.capacity() / Float.BYTES);
    writeAll(row);
    missing--;
  }

  private void writeAll(ByteBuffer bytes) {
    try {
      while (bytes.hasRemaining()) {
        file.write(bytes);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the array cannot be written: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() throws IOException {
    if (written.equals(path)) {
      file.close();
      return;
    }
    if (missing == 0) {
      file.force(true);
    }
    file.close();
    if (missing == 0) {
      Files.move(
          written, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } else {
      Files.deleteIfExists(written);
    }
  }
}
