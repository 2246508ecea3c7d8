package dev.heddle.compiler.spec;

import dev.heddle.specs.BuiltinSpecs;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Finds specs: built-in ones by name or by the name of a config, a user's own by path. */
public final class SpecLibrary {
  private SpecLibrary() {}

  /** All built-in specs, parsed. */
  public static List<Spec> builtin() {
    return BuiltinSpecs.names().stream()
        .map(name -> SpecParser.parse(BuiltinSpecs.fileName(name), BuiltinSpecs.text(name)))
        .toList();
  }

  /** The built-in spec of this name, in any case; empty if there is none. */
  public static Optional<Spec> find(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return BuiltinSpecs.names().contains(lower)
        ? Optional.of(SpecParser.parse(BuiltinSpecs.fileName(lower), BuiltinSpecs.text(lower)))
        : Optional.empty();
  }

  /**
   * The built-in spec that describes an architecture.
   *
   * @throws SpecException if there is none, with the names known
   */
  public static Spec require(String name) {
    return find(name)
        .orElseThrow(() ->
            new SpecException(
                "there is no built-in spec '"
                    + name
                    + "'"
                    + Names.suggestion(name, BuiltinSpecs.names())
                    + ": heddle knows "
                    + String.join(", ", BuiltinSpecs.names())
                    + "; a spec of your own is given by its path, ending in .model"));
  }

  /** A built-in spec with one of its configs. */
  public record ConfigIn(Spec spec, Spec.Config config) {}

  /**
   * The config of this name, in any case, of any built-in spec.
   *
   * @throws SpecException if there is none, with the nearest name
   */
  public static ConfigIn requireConfig(String name) {
    List<String> known = new ArrayList<>();
    for (Spec spec : builtin()) {
      Optional<Spec.Config> config = spec.config(name);
      if (config.isPresent()) {
        return new ConfigIn(spec, config.get());
      }
      spec.configs().forEach(c -> known.add(c.name()));
    }
    throw new SpecException(
        "there is no config '"
            + name
            + "'"
            + Names.suggestion(name, known)
            + ": heddle knows "
            + String.join(", ", known));
  }

  /**
   * A user's spec.
   *
   * @throws SpecException if the file cannot be read or has faults
   */
  public static Spec load(Path path) {
    try {
      return SpecParser.parse(path.toString(), Files.readString(path));
    } catch (MalformedInputException e) {
      throw new SpecException(path + " is no UTF-8 text: save it as UTF-8");
    } catch (IOException e) {
      throw new SpecException(
          path + " cannot be read (" + e.getClass().getSimpleName() + "): check the path");
    }
  }
}
