package dev.heddle.codegen.gpu;

import dev.heddle.ir.HeddleBug;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * A language that bodies are written out in.
 *
 * @param name "cuda", "hip", "host"
 * @param extension of a source file, without a dot
 * @param prelude text that defines the vocabulary; goes before the bodies
 */
public record Dialect(String name, String extension, String prelude) {
  private static final String COMMON = "#include \"prelude_common.h\"\n";

  /** The dialect that runs bodies on the CPU: for tests, and for a driver that has no device. */
  public static Dialect host() {
    return of("host", "cpp", Dialect.class, "prelude_host.h");
  }

  /**
   * A dialect with the prelude in a resource beside {@code near}; its line that includes
   * prelude_common.h is replaced by that text, so that generated sources need no other file.
   */
  public static Dialect of(String name, String extension, Class<?> near, String resource) {
    String own = text(near, resource);
    if (!own.contains(COMMON)) {
      throw new HeddleBug(resource + " does not include prelude_common.h");
    }
    return new Dialect(
        name, extension, own.replace(COMMON, text(Dialect.class, "prelude_common.h")));
  }

  private static String text(Class<?> near, String resource) {
    try (InputStream in = near.getResourceAsStream(resource)) {
      if (in == null) {
        throw new HeddleBug("resource " + resource + " is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
