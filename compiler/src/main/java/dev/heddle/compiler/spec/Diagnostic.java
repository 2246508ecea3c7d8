package dev.heddle.compiler.spec;

/**
 * A fault of a spec, or of a model that a spec is applied to.
 *
 * @param file file name as given
 * @param span place in it
 * @param message one sentence, with a hint in brackets when one is known
 * @param sourceLine the line that holds the fault, or "" where there is none
 */
public record Diagnostic(String file, Span span, String message, String sourceLine) {

  /** The fault as a user reads it: position and sentence, then the source line, underlined. */
  public String render() {
    String head = file + ":" + span.line() + ":" + span.column() + ": error: " + message;
    if (sourceLine.isBlank()) {
      return head;
    }
    String number = Integer.toString(span.line());
    int start = Math.min(span.column() - 1, sourceLine.length());
    int length = Math.max(1, Math.min(span.length(), sourceLine.length() - start));
    StringBuilder margin = new StringBuilder();
    for (int i = 0; i < start; i++) {
      margin.append(sourceLine.charAt(i) == '\t' ? '\t' : ' ');
    }
    return head
        + "\n  "
        + number
        + " | "
        + sourceLine
        + "\n  "
        + " ".repeat(number.length())
        + " | "
        + margin
        + "^"
        + "~".repeat(length - 1);
  }
}
