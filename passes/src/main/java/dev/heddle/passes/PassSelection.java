package dev.heddle.passes;

import dev.heddle.ir.target.Target;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What {@code --passes} says: {@code none}, {@code all}, or changes to the defaults such as {@code
 * +a,-b}.
 *
 * @param base where the changes start from
 * @param changes passes switched on or off by name
 */
public record PassSelection(Base base, Map<String, Boolean> changes) {
  /** Where changes start from. */
  public enum Base {
    /** Only stages without which there is no plan. */
    NONE,
    /** What each stage and the target say. */
    DEFAULTS,
    /** Every stage. */
    ALL
  }

  public PassSelection {
    changes = Map.copyOf(changes);
  }

  /** What runs when nobody chose. */
  public static PassSelection defaults() {
    return new PassSelection(Base.DEFAULTS, Map.of());
  }

  /**
   * Reads {@code none}, {@code all} or a list of {@code +name} and {@code -name}.
   *
   * @throws IllegalArgumentException if the text has another form, a name is unknown, or a stage
   *     cannot be switched off
   */
  public static PassSelection parse(String text) {
    String trimmed = text.strip();
    if (trimmed.equals("none")) {
      return new PassSelection(Base.NONE, Map.of());
    }
    if (trimmed.equals("all")) {
      return new PassSelection(Base.ALL, Map.of());
    }
    Map<String, Boolean> changes = new LinkedHashMap<>();
    for (String part : trimmed.isEmpty() ? new String[0] : trimmed.split(",", -1)) {
      String item = part.strip();
      if (!item.startsWith("+") && !item.startsWith("-")) {
        throw new IllegalArgumentException(
            "--passes takes none, all, or changes such as +int8-activations,-int8-activations; '"
                + item
                + "' starts with neither + nor -");
      }
      changes.put(known(item).name(), item.startsWith("+"));
    }
    return new PassSelection(Base.DEFAULTS, changes);
  }

  /** Whether a stage runs for a target. */
  public boolean includes(Stage stage, Target target) {
    if (stage.runs() == Stage.Runs.ALWAYS) {
      return true;
    }
    Boolean chosen = changes.get(stage.name());
    if (chosen != null) {
      return chosen;
    }
    return switch (base) {
      case NONE -> false;
      case ALL -> true;
      case DEFAULTS ->
          switch (stage.runs()) {
            case ALWAYS, BY_DEFAULT -> true;
            case AS_TARGET_SAYS -> target.int8Default();
            case ON_REQUEST -> false;
          };
    };
  }

  private static Stage known(String item) {
    String name = item.substring(1);
    Optional<Stage> stage = Pipeline.STAGES.stream().filter(s -> s.name().equals(name)).findFirst();
    if (stage.isEmpty()) {
      throw new IllegalArgumentException(
          "there is no pass '" + name + "'" + suggestion(name) + "; passes are " + names());
    }
    if (stage.get().runs() == Stage.Runs.ALWAYS && item.startsWith("-")) {
      throw new IllegalArgumentException(
          "pass '" + name + "' cannot be switched off: no plan can be made without it");
    }
    return stage.get();
  }

  private static String suggestion(String name) {
    return names().stream()
        .min(Comparator.comparingInt(n -> distance(n, name)))
        .filter(n -> distance(n, name) <= Math.max(2, name.length() / 3))
        .map(n -> " (did you mean '" + n + "'?)")
        .orElse("");
  }

  private static List<String> names() {
    return Pipeline.STAGES.stream().map(Stage::name).toList();
  }

  /** Levenshtein's distance. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
