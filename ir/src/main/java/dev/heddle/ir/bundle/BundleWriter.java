package dev.heddle.ir.bundle;

import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.plan.Plan;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDateTime;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Writes bundles: stored zips whose bytes depend on the contents alone. The file appears under its
 * name only when it is complete and on disk: temporary name in the same folder, fsync, rename.
 */
public final class BundleWriter {
  static final String MANIFEST = "manifest.json";
  static final String GRAPH = "graph.txt";
  static final String REPORT = "report.json";

  /** The zip format's first moment: equal contents give equal bytes. */
  private static final LocalDateTime TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

  private BundleWriter() {}

  /**
   * Writes the bundle; an existing file of that name is replaced at once or, on failure, left as it
   * is.
   */
  public static void write(Path path, BundleContents contents) {
    byte[] zip = zip(entries(contents));
    Path target = path.toAbsolutePath();
    Path folder = target.getParent();
    String prefix = "." + target.getFileName() + ".";
    try {
      Files.createDirectories(folder);
      removeAbandoned(folder, prefix);
      Path temporary =
          folder.resolve(
              prefix
                  + ProcessHandle.current().pid()
                  + "-"
                  + Thread.currentThread().threadId()
                  + ".tmp");
      try {
        writeSynced(temporary, zip);
        try {
          Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
          Files.move(temporary, target, StandardCopyOption.REPLACE_EXISTING);
        }
      } finally {
        Files.deleteIfExists(temporary);
      }
      syncFolder(folder);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the bundle " + path + ": " + e.getMessage(), e);
    }
  }

  /** All entries by name, manifest first, with hashes filled in. */
  static SequencedMap<String, byte[]> entries(BundleContents contents) {
    var json = new RecordJson();
    var rest = new LinkedHashMap<String, byte[]>();
    rest.put(GRAPH, contents.graph().getBytes(StandardCharsets.UTF_8));
    var keys = new java.util.ArrayList<String>();
    for (Plan plan : contents.plans()) {
      keys.add(plan.key().text());
      add(rest, planEntry(plan.key().text()), json.write(plan, false));
    }
    if (!keys.equals(contents.manifest().plans())) {
      throw new HeddleBug(
          "the manifest lists plans "
              + contents.manifest().plans()
              + " but the bundle holds "
              + keys);
    }
    var names = new HashSet<String>();
    for (BundleContents.KernelFile kernel : contents.kernels()) {
      names.add(kernel.name());
      add(
          rest,
          sourceEntry(kernel.name(), contents.manifest().target()),
          kernel.source().getBytes(StandardCharsets.UTF_8));
      add(rest, binaryEntry(kernel.name(), contents.manifest().target()), kernel.binary());
    }
    for (Manifest.Kernel kernel : contents.manifest().kernels()) {
      if (!names.contains(kernel.name())) {
        throw new HeddleBug("the bundle has no files of kernel " + kernel.name());
      }
    }
    rest.put(REPORT, contents.report().getBytes(StandardCharsets.UTF_8));
    var hashes = new TreeMap<String, String>();
    rest.forEach((name, bytes) -> hashes.put(name, sha256(bytes)));
    var all = new LinkedHashMap<String, byte[]>();
    all.put(MANIFEST, json.write(contents.manifest().withHashes(hashes), true));
    all.putAll(rest);
    return all;
  }

  static String planEntry(String key) {
    return "plans/" + key + ".json";
  }

  static String sourceEntry(String kernel, String target) {
    return "kernels/" + kernel + (target.equals("jvm") ? ".java" : ".src");
  }

  static String binaryEntry(String kernel, String target) {
    return "kernels/" + kernel + (target.equals("jvm") ? ".class" : ".bin");
  }

  static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new HeddleBug("this Java has no SHA-256", e);
    }
  }

  private static void add(Map<String, byte[]> entries, String name, byte[] bytes) {
    if (!name.matches("[A-Za-z0-9_$./-]+") || name.contains("..")) {
      throw new HeddleBug("\"" + name + "\" is not a name for a bundle's entry");
    }
    if (entries.put(name, bytes) != null) {
      throw new HeddleBug("the bundle would hold " + name + " twice");
    }
  }

  private static byte[] zip(Map<String, byte[]> entries) {
    var bytes = new ByteArrayOutputStream();
    try (var out = new ZipOutputStream(bytes)) {
      out.setMethod(ZipOutputStream.STORED);
      for (Map.Entry<String, byte[]> e : entries.entrySet()) {
        var crc = new CRC32();
        crc.update(e.getValue());
        var entry = new ZipEntry(e.getKey());
        entry.setSize(e.getValue().length);
        entry.setCompressedSize(e.getValue().length);
        entry.setCrc(crc.getValue());
        entry.setTimeLocal(TIME);
        out.putNextEntry(entry);
        out.write(e.getValue());
        out.closeEntry();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void writeSynced(Path file, byte[] bytes) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      channel.force(true);
    }
  }

  /**
   * Makes the rename durable; some systems cannot open folders, there the rename is durable by
   * itself or not at all.
   */
  private static void syncFolder(Path folder) throws IOException {
    if (java.io.File.separatorChar == '/') {
      try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }

  /** Removes temporary files of processes that were killed while they wrote this bundle. */
  private static void removeAbandoned(Path folder, String prefix) throws IOException {
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(folder, f -> f.getFileName().toString().startsWith(prefix))) {
      for (Path file : files) {
        String name = file.getFileName().toString().substring(prefix.length());
        if (name.matches("[0-9]{1,18}-[0-9]+\\.tmp")) {
          long pid = Long.parseLong(name.substring(0, name.indexOf('-')));
          if (ProcessHandle.of(pid).isEmpty()) {
            Files.deleteIfExists(file);
          }
        }
      }
    }
  }
}
