package dev.heddle.gguf;

import static dev.heddle.gguf.GgufException.quoted;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * The metadata of a file, in the file's order, with getters by kind. A getter gives empty for an
 * absent key and a {@link GgufException} for a value of another kind, which names file and key.
 */
public final class GgufMetadata {
  private final String file;
  private final SequencedMap<String, GgufValue> values;

  /** Metadata of {@code file} (the name for messages). */
  public GgufMetadata(String file, Map<String, GgufValue> values) {
    this.file = file;
    this.values = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(values));
  }

  /** All entries. */
  public SequencedMap<String, GgufValue> values() {
    return values;
  }

  /** True if the key is present. */
  public boolean has(String key) {
    return values.containsKey(key);
  }

  /** The value of any kind. */
  public Optional<GgufValue> value(String key) {
    return Optional.ofNullable(values.get(key));
  }

  /** An integer of any width. */
  public Optional<Long> integer(String key) {
    return value(key)
        .map(v -> {
          if (v instanceof GgufValue.Int(GgufValue.Type type, long number)
              && (type != GgufValue.Type.U64 || number >= 0)) {
            return number;
          }
          throw wrong(key, v, "an integer");
        });
  }

  /** A float of any width; an integer counts as one. */
  public Optional<Double> real(String key) {
    return value(key)
        .map(v ->
            switch (v) {
              case GgufValue.Real r -> r.value();
              case GgufValue.Int i -> (double) i.value();
              case GgufValue.Bool _, GgufValue.Text _, GgufValue.Array _ ->
                  throw wrong(key, v, "a number");
            });
  }

  /** A boolean. */
  public Optional<Boolean> bool(String key) {
    return value(key)
        .map(v -> {
          if (v instanceof GgufValue.Bool(boolean flag)) {
            return flag;
          }
          throw wrong(key, v, "a boolean");
        });
  }

  /** A string. */
  public Optional<String> text(String key) {
    return value(key)
        .map(v -> {
          if (v instanceof GgufValue.Text(String text)) {
            return text;
          }
          throw wrong(key, v, "a string");
        });
  }

  /** An array of integers of any width. */
  public Optional<long[]> integers(String key) {
    return value(key)
        .map(v -> {
          if (v instanceof GgufValue.Ints ints) {
            return ints.values();
          }
          throw wrong(key, v, "an array of integers");
        });
  }

  /** An array of floats of any width. */
  public Optional<double[]> reals(String key) {
    return value(key)
        .map(v -> {
          if (v instanceof GgufValue.Reals reals) {
            return reals.values();
          }
          throw wrong(key, v, "an array of floats");
        });
  }

  /** An array of booleans. */
  public Optional<boolean[]> bools(String key) {
    return value(key)
        .map(v -> {
          if (v instanceof GgufValue.Bools bools) {
            return bools.values();
          }
          throw wrong(key, v, "an array of booleans");
        });
  }

  /** An array of strings. */
  public Optional<List<String>> texts(String key) {
    return value(key)
        .map(v -> {
          if (v instanceof GgufValue.Texts texts) {
            return texts.values();
          }
          throw wrong(key, v, "an array of strings");
        });
  }

  /** {@code general.architecture}; its absence is an error. */
  public String architecture() {
    return text("general.architecture")
        .orElseThrow(() ->
            new GgufException(
                file
                    + ": metadata has no general.architecture, so the model's family is unknown; convert the model again"));
  }

  private GgufException wrong(String key, GgufValue value, String wanted) {
    String found =
        value instanceof GgufValue.Array array
            ? "an array of " + array.size() + " " + array.elementType()
            : "a " + value.type();
    return new GgufException(
        file
            + ": metadata "
            + quoted(key)
            + " is "
            + found
            + " where "
            + wanted
            + " is needed; convert the model again");
  }
}
