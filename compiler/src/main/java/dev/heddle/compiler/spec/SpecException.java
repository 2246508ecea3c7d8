package dev.heddle.compiler.spec;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A spec with faults, or a spec that does not fit a model. The message holds all diagnostics, up to
 * {@value #LIMIT}.
 */
public final class SpecException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Most diagnostics of one run. */
  public static final int LIMIT = 20;

  private final transient List<Diagnostic> diagnostics;

  public SpecException(List<Diagnostic> diagnostics) {
    super(render(diagnostics));
    this.diagnostics = List.copyOf(diagnostics);
  }

  /** A fault without a place: a wrong name on the command line. */
  public SpecException(String sentence) {
    super(sentence);
    this.diagnostics = List.of();
  }

  /** The faults, in order of their places. */
  public List<Diagnostic> diagnostics() {
    return diagnostics;
  }

  private static String render(List<Diagnostic> list) {
    String all = list.stream().map(Diagnostic::render).collect(Collectors.joining("\n"));
    return list.size() == 1
        ? all
        : all + "\n" + list.size() + (list.size() == LIMIT ? " errors (stopped there)" : " errors");
  }
}
