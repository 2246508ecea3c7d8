package dev.heddle.compiler;

import dev.heddle.compiler.spec.ModelGraph;
import dev.heddle.ir.GraphText;
import dev.heddle.passes.Lowered;
import dev.heddle.passes.PlanText;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** How far {@code --emit} goes. All but {@link #BUNDLE} need no toolchain and are text. */
public enum Emit {
  /** The graph that plans compute. */
  GRAPH,
  /** Every plan: buffers, launches, outputs. */
  PLAN,
  /** Generated source of every kernel. */
  SOURCE,
  /** The whole chain. */
  BUNDLE;

  /**
   * The stage of this name.
   *
   * @throws IllegalArgumentException naming all stages, if there is none
   */
  public static Emit parse(String text) {
    String names =
        Arrays.stream(values())
            .map(e -> e.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", "));
    return Arrays.stream(values())
        .filter(e -> e.name().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException("--emit takes one of " + names + ", not '" + text + "'"));
  }

  /**
   * The text of this stage.
   *
   * @throws IllegalArgumentException for a bundle, which is no text
   */
  public String text(ModelGraph model, CompileRequest request) {
    Lowered lowered = Compiler.lower(model, request);
    return switch (this) {
      case GRAPH -> GraphText.print(lowered.after());
      case PLAN ->
          lowered.plans().values().stream()
              .map(p -> PlanText.print(p, lowered.kernels()))
              .collect(Collectors.joining("\n"));
      case SOURCE ->
          Compiler.sources(lowered, request).stream()
              .distinct()
              .map(s -> s.source())
              .collect(Collectors.joining("\n"));
      case BUNDLE ->
          throw new IllegalArgumentException("a bundle is written to a file, it has no text");
    };
  }
}
