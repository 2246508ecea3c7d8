package dev.heddle.compiler.spec;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Judges the tensors of a file that the spec does not name: ignored, refused with a remedy, an
 * error, or a warning.
 */
final class UnknownTensors {
  private final Spec spec;
  private final Weights weights;
  private final ModelFacts facts;
  private final Diagnostics diagnostics;
  private final Map<String, Integer> ignored = new LinkedHashMap<>();
  private final List<String> strangers = new ArrayList<>();

  UnknownTensors(Spec spec, Weights weights, ModelFacts facts, Diagnostics diagnostics) {
    this.spec = spec;
    this.weights = weights;
    this.facts = facts;
    this.diagnostics = diagnostics;
  }

  /** Reports errors; gives the warnings. */
  List<String> check() {
    for (String tensor : facts.tensorNames()) {
      if (!weights.known().contains(tensor)) {
        judge(tensor);
      }
    }
    List<String> warnings = new ArrayList<>();
    ignored.forEach((pattern, n) ->
        warnings.add(
            facts.name()
                + ": ignored "
                + count(n)
                + " '"
                + pattern
                + "', which this model does not need"));
    if (!strangers.isEmpty()) {
      List<String> shown = strangers.subList(0, Math.min(3, strangers.size()));
      warnings.add(
          facts.name()
              + ": ignored "
              + count(strangers.size())
              + " unknown to "
              + spec.file()
              + ": '"
              + String.join("', '", shown)
              + (strangers.size() > shown.size() ? "', .." : "'"));
    }
    return warnings;
  }

  private static String count(int n) {
    return n == 1 ? "1 tensor" : n + " tensors";
  }

  private void judge(String tensor) {
    for (Spec.Pattern p : spec.patterns()) {
      if (matches(p.pattern(), tensor)) {
        if (p.remedy() == null) {
          ignored.merge(p.pattern(), 1, Integer::sum);
        } else {
          diagnostics.add(p.span(), facts.name() + " has a tensor '" + tensor + "': " + p.remedy());
        }
        return;
      }
    }
    for (Spec.Block block : weights.blocks().values()) {
      if (tensor.startsWith(block.name() + ".")) {
        long[] range = weights.range(block.name());
        String blocks = range == null ? "" : " for blocks " + range[0] + " .. " + range[1];
        diagnostics.add(
            block.span(),
            facts.name()
                + " has a tensor '"
                + tensor
                + "' that this spec does not know"
                + blocks
                + ": the model would be computed wrongly without it");
        return;
      }
    }
    strangers.add(tensor);
  }

  private static boolean matches(String pattern, String tensor) {
    StringBuilder regex = new StringBuilder();
    for (String part : pattern.split("\\*", -1)) {
      regex.append(regex.isEmpty() ? "" : ".*").append(Pattern.quote(part));
    }
    return Pattern.matches(regex.toString(), tensor);
  }
}
