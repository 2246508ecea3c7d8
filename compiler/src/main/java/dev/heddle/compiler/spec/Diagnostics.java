package dev.heddle.compiler.spec;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Collects the faults of one run over one spec. A place is reported once: the same line of 94
 * layers is one fault.
 */
final class Diagnostics {
  private final String file;
  private final String[] lines;
  private final List<Diagnostic> list = new ArrayList<>();
  private final Set<Span> reported = new HashSet<>();

  Diagnostics(String file, String text) {
    this.file = file;
    this.lines = text.split("\n", -1);
  }

  void add(Span span, String message) {
    if (list.size() < SpecException.LIMIT && reported.add(span)) {
      String line = span.line() >= 1 && span.line() <= lines.length ? lines[span.line() - 1] : "";
      list.add(
          new Diagnostic(
              file,
              span,
              message,
              line.endsWith("\r") ? line.substring(0, line.length() - 1) : line));
    }
  }

  boolean isFull() {
    return list.size() >= SpecException.LIMIT;
  }

  boolean isEmpty() {
    return list.isEmpty();
  }

  /** Throws the faults found so far, if any. */
  void throwIfAny() {
    if (!list.isEmpty()) {
      List<Diagnostic> sorted = new ArrayList<>(list);
      sorted.sort(
          Comparator.comparingInt((Diagnostic d) -> d.span().line())
              .thenComparingInt(d -> d.span().column()));
      throw new SpecException(sorted);
    }
  }
}
