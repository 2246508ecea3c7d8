package dev.heddle.codegen.tool;

import dev.heddle.ir.EnvironmentException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A temporary folder for one compile; it is deleted when closed. */
public final class WorkFolder implements AutoCloseable {
  private final Path folder;

  public WorkFolder() {
    try {
      folder = Files.createTempDirectory("heddle-compile-");
    } catch (IOException e) {
      throw new EnvironmentException(
          "No temporary folder can be made (" + e + "): set java.io.tmpdir to a folder with room.",
          e);
    }
  }

  /** A file of this name in the folder. */
  public Path file(String name) {
    return folder.resolve(name);
  }

  /** Writes a text file. */
  public Path write(String name, String text) {
    try {
      return Files.writeString(file(name), text);
    } catch (IOException e) {
      throw new EnvironmentException(
          file(name) + " cannot be written (" + e + "): set java.io.tmpdir to a folder with room.",
          e);
    }
  }

  /** Bytes of a file that a compiler wrote. */
  public byte[] read(String name) {
    try {
      return Files.readAllBytes(file(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try (Stream<Path> files = Files.walk(folder)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
