package dev.heddle.codegen.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/**
 * Compiled kernels on disk, one file an entry. An entry is written to a temporary name, forced to
 * the disk and renamed, so any number of processes may share a folder and be killed at any moment:
 * a reader sees a whole entry or none. An entry whose contents do not match its checksum counts as
 * absent and is written anew.
 */
public final class CompileCache {
  private static final byte[] MAGIC = "heddle cache 1\n".getBytes(StandardCharsets.US_ASCII);
  private static final int CHECKSUM_BYTES = 32;
  private static final String TEMPORARY = ".writing-";

  /**
   * No compile takes this long: a temporary file as old as this was left by a process that was
   * killed.
   */
  private static final Duration ABANDONED = Duration.ofHours(1);

  private final Path folder;

  /** A cache in this folder, which is made when the first entry is stored. */
  public CompileCache(Path folder) {
    this.folder = folder;
  }

  /**
   * The user's cache: {@code $XDG_CACHE_HOME/heddle}, or {@code ~/.cache/heddle}.
   *
   * @param environment the process's environment variables
   * @param home the user's home folder
   */
  public static CompileCache ofUser(Map<String, String> environment, Path home) {
    String base = environment.getOrDefault("XDG_CACHE_HOME", "");
    // The specification of XDG base directories: relative paths are to be ignored.
    Path folder =
        !base.isEmpty() && Path.of(base).isAbsolute() ? Path.of(base) : home.resolve(".cache");
    return new CompileCache(folder.resolve("heddle"));
  }

  /** Where entries lie. */
  public Path folder() {
    return folder;
  }

  /** What was stored under a key; empty if nothing was, or if the entry cannot be read whole. */
  public Optional<byte[]> find(CacheKey key) {
    byte[] entry;
    try {
      entry = Files.readAllBytes(file(key));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      return Optional.empty(); // an unreadable entry costs a compile, nothing else
    }
    int header = MAGIC.length + CHECKSUM_BYTES;
    if (entry.length < header || !Arrays.equals(entry, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      return Optional.empty();
    }
    byte[] contents = Arrays.copyOfRange(entry, header, entry.length);
    boolean isWhole =
        Arrays.equals(
            entry, MAGIC.length, header, CacheKey.sha256().digest(contents), 0, CHECKSUM_BYTES);
    return isWhole ? Optional.of(contents) : Optional.empty();
  }

  /**
   * Stores an entry. A cache that cannot be written to is no reason to stop a compile: the answer
   * then is the sentence to warn with.
   */
  public Optional<String> store(CacheKey key, byte[] contents) {
    try {
      Path file = file(key);
      Files.createDirectories(file.getParent());
      removeAbandoned(file.getParent());
      Path temporary = Files.createTempFile(file.getParent(), TEMPORARY, "");
      try {
        write(temporary, contents);
        Files.move(
            temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(temporary);
      }
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(
          "The compile cache in "
              + folder
              + " cannot be written ("
              + e
              + "): set XDG_CACHE_HOME to a folder that can.");
    }
  }

  private static void write(Path file, byte[] contents) throws IOException {
    ByteBuffer entry = ByteBuffer.allocate(MAGIC.length + CHECKSUM_BYTES + contents.length);
    entry.put(MAGIC).put(CacheKey.sha256().digest(contents)).put(contents).flip();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      while (entry.hasRemaining()) {
        channel.write(entry);
      }
      channel.force(true);
    }
  }

  private static void removeAbandoned(Path folder) throws IOException {
    Instant old = Instant.now().minus(ABANDONED);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, TEMPORARY + "*")) {
      for (Path file : files) {
        if (isOlder(file, old)) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  private static boolean isOlder(Path file, Instant old) throws IOException {
    try {
      return Files.getLastModifiedTime(file).toInstant().isBefore(old);
    } catch (NoSuchFileException e) {
      return false; // its writer has renamed it meanwhile
    }
  }

  private Path file(CacheKey key) {
    return folder.resolve(key.text().substring(0, 2)).resolve(key.text().substring(2));
  }
}
