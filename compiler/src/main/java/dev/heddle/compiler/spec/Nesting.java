package dev.heddle.compiler.spec;

import dev.heddle.compiler.spec.grammar.ModelSpecLexer;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.Token;

/**
 * Refuses text that is nested so deeply that a recursive parser would exhaust the stack of a Java
 * thread.
 */
final class Nesting {
  private static final int DEEPEST_BRACKETS = 100;
  private static final int DEEPEST_BLOCKS = 20;
  private static final int MOST_OPERATORS = 200;

  private Nesting() {}

  /** True if the text may be parsed; else a fault is reported. */
  static boolean check(CommonTokenStream tokens, Diagnostics diagnostics) {
    tokens.fill();
    int brackets = 0;
    int blocks = 0;
    int operators = 0;
    for (Token token : tokens.getTokens()) {
      if (token.getChannel() != Token.DEFAULT_CHANNEL) {
        continue;
      }
      switch (token.getText()) {
        case "(", "[" -> brackets++;
        case ")", "]" -> brackets = Math.max(0, brackets - 1);
        case "{" -> blocks++;
        case "}" -> blocks = Math.max(0, blocks - 1);
        // Operators whose right side the grammar reads by recursion.
        case "-", "not", "?", "^" -> operators++;
        default -> {}
      }
      boolean begins =
          token.getText().equals("=")
              || token.getType() == ModelSpecLexer.STRING
              || token.getText().equals("}");
      if (brackets == 0 && begins) {
        operators = 0;
      }
      if (brackets > DEEPEST_BRACKETS || blocks > DEEPEST_BLOCKS || operators > MOST_OPERATORS) {
        diagnostics.add(AstBuilder.span(token), "this is nested too deeply to be a model");
        return false;
      }
    }
    tokens.seek(0);
    return true;
  }
}
