package dev.heddle.ir;

/**
 * A place in one line of graph text. Readers skip spaces first; a failure names what was expected
 * and what stands there.
 */
final class TextCursor {
  private final int line;
  private final String text;
  private int at;

  TextCursor(int line, String text) {
    this.line = line;
    this.text = text;
  }

  /** Characters of plain names: GGUF's tensor names, file names, words. */
  static boolean isWordChar(int c) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c >= '0' && c <= '9'
        || c == '_'
        || c == '.'
        || c == '-'
        || c == '/';
  }

  int column() {
    skipSpaces();
    return at + 1;
  }

  boolean atEnd() {
    skipSpaces();
    return at == text.length();
  }

  /** The next character, or 0 at the end. */
  char peek() {
    return atEnd() ? 0 : text.charAt(at);
  }

  boolean accept(char c) {
    if (peek() != c || atEnd()) {
      return false;
    }
    at++;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) {
      throw expected("'" + c + "'");
    }
  }

  void expectEnd() {
    if (!atEnd()) {
      throw expected("the end of the line");
    }
  }

  /** True, and consumed, if the next word is {@code word}. */
  boolean acceptWord(String word) {
    int start = column() - 1;
    if (isWordChar(peek()) && word().equals(word)) {
      return true;
    }
    at = start;
    return false;
  }

  /** A run of word characters. */
  String word() {
    int start = column() - 1;
    while (at < text.length() && isWordChar(text.charAt(at))) {
      at++;
    }
    if (at == start) {
      throw expected("a name");
    }
    return text.substring(start, at);
  }

  /** A word, or any text in double quotes. */
  String name() {
    return peek() == '"' ? quoted() : word();
  }

  String quoted() {
    int start = column();
    expect('"');
    StringBuilder out = new StringBuilder();
    while (at < text.length() && text.charAt(at) != '"') {
      char c = text.charAt(at++);
      out.append(c == '\\' ? escape() : c);
    }
    if (at == text.length()) {
      throw failAt(start, "the text that begins here has no closing quote");
    }
    at++;
    return out.toString();
  }

  private char escape() {
    if (at < text.length() && (text.charAt(at) == '"' || text.charAt(at) == '\\')) {
      return text.charAt(at++);
    }
    if (at + 5 <= text.length() && text.charAt(at) == 'u') {
      int code = 0;
      for (int i = 1; i <= 4; i++) {
        int digit = Character.digit(text.charAt(at + i), 16);
        code = digit < 0 || code < 0 ? -1 : code * 16 + digit;
      }
      if (code >= 0) {
        at += 5;
        return (char) code;
      }
    }
    throw failAt(
        at, "after a backslash comes a quote, a backslash or u and four hexadecimal digits");
  }

  long integer() {
    int start = column();
    boolean isNegative = accept('-');
    int first = at;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    if (first == at) {
      at = start - 1;
      throw expected("a whole number");
    }
    String digits = text.substring(first, at);
    try {
      return Long.parseLong((isNegative ? "-" : "") + digits);
    } catch (NumberFormatException e) {
      throw failAt(start, digits + " does not fit in 64 bits");
    }
  }

  int smallInteger() {
    int start = column();
    long value = integer();
    if (value != (int) value) {
      throw failAt(start, value + " does not fit in 32 bits");
    }
    return (int) value;
  }

  double real() {
    int start = column();
    String word = word();
    while (at < text.length() && text.charAt(at) == '+') {
      at++;
      word += "+" + word();
    }
    if (word.equals("nan")) {
      return Double.NaN;
    }
    if (word.equals("inf") || word.equals("-inf")) {
      return word.equals("inf") ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
    }
    if (!word.matches("-?[0-9]+(\\.[0-9]+)?(e[+-]?[0-9]+)?")) {
      throw failAt(start, "'" + word + "' is not a number");
    }
    return Double.parseDouble(word);
  }

  GraphParseException expected(String what) {
    String found = atEnd() ? "the line ends" : "there is '" + text.charAt(at) + "'";
    return failAt(at + 1, "expected " + what + ", but " + found);
  }

  GraphParseException failAt(int column, String sentence) {
    return new GraphParseException(line, column, sentence);
  }

  private void skipSpaces() {
    while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
      at++;
    }
  }
}
