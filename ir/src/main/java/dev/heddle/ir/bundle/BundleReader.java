package dev.heddle.ir.bundle;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * Opens bundles and checks them before anything is used: format version, every hash, every name.
 */
public final class BundleReader {
  private static final int MAX_ENTRIES = 100_000;

  private BundleReader() {}

  /** Reads a bundle; every fault of the file is a {@link BundleException} of one sentence. */
  public static Bundle open(Path path) {
    String name = path.toString();
    try {
      if (!Files.isRegularFile(path)) {
        throw new BundleException(
            name
                + (Files.exists(path) ? " is not a file" : " does not exist")
                + "; give a bundle's path");
      }
      if (!startsLikeZip(path)) {
        throw new BundleException(
            name
                + " is not a heddle bundle (a bundle is a zip file); make one with heddle compile");
      }
      return check(name, entries(path, name));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the bundle " + name + ": " + e.getMessage(), e);
    }
  }

  /** True if the file starts like a bundle: tells a bundle from a GGUF without opening either. */
  public static boolean startsLikeZip(Path path) throws IOException {
    try (InputStream in = Files.newInputStream(path)) {
      byte[] magic = in.readNBytes(4);
      return magic.length == 4
          && magic[0] == 'P'
          && magic[1] == 'K'
          && magic[2] == 3
          && magic[3] == 4;
    }
  }

  private static Map<String, byte[]> entries(Path path, String name) throws IOException {
    var entries = new HashMap<String, byte[]>();
    try (var zip = new ZipFile(path.toFile())) {
      if (zip.size() > MAX_ENTRIES) {
        throw new BundleException(
            name
                + " has "
                + zip.size()
                + " entries, more than a bundle ever has ("
                + MAX_ENTRIES
                + ")");
      }
      for (ZipEntry entry : zip.stream().toList()) {
        if (entry.getMethod() != ZipEntry.STORED) {
          throw new BundleException(
              name
                  + " is not a heddle bundle: "
                  + entry.getName()
                  + " is compressed; compile again");
        }
        byte[] bytes;
        try (InputStream in = zip.getInputStream(entry)) {
          bytes = in.readAllBytes();
        }
        var crc = new CRC32();
        crc.update(bytes);
        if (bytes.length != entry.getSize() || crc.getValue() != entry.getCrc()) {
          throw new BundleException(
              name
                  + ", "
                  + entry.getName()
                  + " is damaged (checksum differs); compile the model again");
        }
        entries.put(entry.getName(), bytes);
      }
    } catch (ZipException e) {
      throw new BundleException(
          name + " is cut or damaged (" + e.getMessage() + "); compile the model again", e);
    } catch (java.io.EOFException e) {
      throw new BundleException(name + " is cut; compile the model again", e);
    }
    return entries;
  }

  static Bundle check(String name, Map<String, byte[]> entries) {
    byte[] json = entries.get(BundleWriter.MANIFEST);
    if (json == null) {
      throw new BundleException(
          name + " is a zip file but not a heddle bundle: it has no " + BundleWriter.MANIFEST);
    }
    String where = name + ", " + BundleWriter.MANIFEST;
    var reader = new RecordJson();
    int format = (int) reader.readLeading(json, Manifest.class, 1, where).get("format");
    if (format != Manifest.FORMAT) {
      throw new BundleException(
          name
              + " has bundle format "
              + format
              + ", this heddle reads format "
              + Manifest.FORMAT
              + (format > Manifest.FORMAT
                  ? "; use a newer heddle or compile the model again"
                  : "; compile the model again"));
    }
    Manifest manifest = reader.read(json, Manifest.class, where);
    for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
      String hash = manifest.hashes().get(entry.getKey());
      if (hash == null && !entry.getKey().equals(BundleWriter.MANIFEST)) {
        throw new BundleException(
            name
                + " holds "
                + entry.getKey()
                + ", which its manifest does not list; compile again");
      }
      if (hash != null && !hash.equals(BundleWriter.sha256(entry.getValue()))) {
        throw new BundleException(
            name
                + ", "
                + entry.getKey()
                + " is not what the manifest says (SHA-256 differs); compile the model again");
      }
    }
    for (String entry : manifest.hashes().keySet()) {
      requireEntry(name, entries, entry);
    }
    for (String key : manifest.plans()) {
      requireEntry(name, entries, BundleWriter.planEntry(key));
    }
    for (Manifest.Kernel kernel : manifest.kernels()) {
      requireEntry(name, entries, BundleWriter.binaryEntry(kernel.name(), manifest.target()));
    }
    return new Bundle(name, manifest, Map.copyOf(entries));
  }

  private static void requireEntry(String name, Map<String, byte[]> entries, String entry) {
    if (!entries.containsKey(entry)) {
      throw new BundleException(
          name + " is incomplete: " + entry + " is missing; compile the model again");
    }
  }
}
