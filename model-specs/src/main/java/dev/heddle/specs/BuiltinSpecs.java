package dev.heddle.specs;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The built-in {@code *.model} files. */
public final class BuiltinSpecs {
  private static final List<String> NAMES = List.of("llama", "qwen3", "qwen3moe");

  private BuiltinSpecs() {}

  /** Names of all built-in specs = general.architecture of the files they describe. */
  public static List<String> names() {
    return NAMES;
  }

  /** The file name that diagnostics show: {@code qwen3.model}. */
  public static String fileName(String name) {
    return name + ".model";
  }

  /**
   * The text of a built-in spec.
   *
   * @param name one of {@link #names()}
   * @throws IllegalArgumentException if there is none of this name
   */
  public static String text(String name) {
    if (!NAMES.contains(name)) {
      throw new IllegalArgumentException(
          "there is no built-in spec '" + name + "': " + String.join(", ", NAMES));
    }
    try (InputStream in = BuiltinSpecs.class.getResourceAsStream(fileName(name))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the built-in spec '" + name + "' cannot be read from heddle's own files", e);
    }
  }
}
