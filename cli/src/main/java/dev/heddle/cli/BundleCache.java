package dev.heddle.cli;

import dev.heddle.ir.HeddleBug;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where compiled bundles of GGUF files lie, so that a second run starts no compiler: {@code
 * ~/.cache/heddle}.
 */
final class BundleCache {
  private BundleCache() {}

  /** The folder: HEDDLE_CACHE, else heddle in XDG_CACHE_HOME, else {@code ~/.cache/heddle}. */
  static Path folder() {
    String own = System.getProperty("heddle.cache", System.getenv("HEDDLE_CACHE"));
    if (own != null && !own.isEmpty()) {
      return Path.of(own);
    }
    String shared = System.getenv("XDG_CACHE_HOME");
    return shared != null && !shared.isEmpty()
        ? Path.of(shared, "heddle")
        : Path.of(System.getProperty("user.home"), ".cache", "heddle");
  }

  /**
   * Where the bundle of a model lies.
   *
   * @param name what its file name begins with
   * @param facts everything that the bundle depends on, beside heddle itself
   */
  static Path entry(String name, List<String> facts) {
    MessageDigest digest = sha256();
    for (String fact : facts) {
      digest.update(fact.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
    }
    digest.update(buildOfHeddle().getBytes(StandardCharsets.UTF_8));
    return folder()
        .resolve(name + "-" + HexFormat.of().formatHex(digest.digest(), 0, 10) + ".bundle");
  }

  /** Names, sizes and times of heddle's own classes: another build may compile another bundle. */
  private static String buildOfHeddle() {
    StringBuilder build = new StringBuilder(Version.HEDDLE);
    for (String place : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path path = Path.of(place);
      if (path.toString().contains("heddle") || Files.isDirectory(path)) {
        try (Stream<Path> files = Files.walk(path)) {
          for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            build
                .append(path.relativize(file))
                .append(attributes.size())
                .append(attributes.lastModifiedTime().toMillis());
          }
        } catch (IOException e) {
          // A class path entry that cannot be read holds no class that runs.
          build.append(place).append(" unreadable");
        }
      }
    }
    return build.toString();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new HeddleBug("every Java runtime has SHA-256", e);
    }
  }
}
