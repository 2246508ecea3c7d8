package dev.heddle.compiler.spec;

import dev.heddle.compiler.spec.grammar.ModelSpecParser;
import java.util.Set;
import org.antlr.v4.runtime.DefaultErrorStrategy;
import org.antlr.v4.runtime.Parser;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.misc.IntervalSet;

/**
 * Goes on at the next line after a fault: what follows a fault on its own line is rarely a second one. Tokens are neither
 * inserted nor skipped singly, so that each fault is reported at its own token.
 */
final class SyntaxRecovery extends DefaultErrorStrategy {
  private static final Set<Integer> RESTARTING_RULES =
      Set.of(
          ModelSpecParser.RULE_file, ModelSpecParser.RULE_body, ModelSpecParser.RULE_blockDecl,
          ModelSpecParser.RULE_blockItem, ModelSpecParser.RULE_config);

  @Override
  public void recover(Parser parser, RecognitionException e) {
    int line = e.getOffendingToken() == null ? parser.getCurrentToken().getLine() : e.getOffendingToken().getLine();
    IntervalSet follow = getErrorRecoverySet(parser);
    boolean restarting = RESTARTING_RULES.contains(parser.getContext().getRuleIndex());
    if (lastErrorIndex == parser.getInputStream().index() && restarting && parser.getCurrentToken().getType() != Token.EOF) {
      parser.consume();
    }
    lastErrorIndex = parser.getInputStream().index();
    while (parser.getCurrentToken().getType() != Token.EOF
        && (parser.getCurrentToken().getLine() == line || !follow.contains(parser.getCurrentToken().getType()))) {
      parser.consume();
    }
    if (lastErrorStates == null) {
      lastErrorStates = new IntervalSet();
    }
    lastErrorStates.add(parser.getState());
  }
}
