package dev.heddle.compiler.spec;

import dev.heddle.compiler.spec.grammar.ModelSpecLexer;
import java.util.Set;
import org.antlr.v4.runtime.DefaultErrorStrategy;
import org.antlr.v4.runtime.Parser;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.TokenStream;
import org.antlr.v4.runtime.atn.ATNState;
import org.antlr.v4.runtime.misc.IntervalSet;

/**
 * Goes on after a fault at the next line that can begin something, or at the next declaration: what
 * follows a fault on its own line is rarely a second one.
 */
final class SyntaxRecovery extends DefaultErrorStrategy {
  /** Words that begin a declaration wherever they stand. */
  private static final Set<String> DECLARING =
      Set.of("param", "weights", "state", "def", "layer", "graph");

  /** Words that begin a declaration at the start of a line and are names elsewhere. */
  private static final Set<String> DECLARING_AT_START =
      Set.of("config", "weight", "ignore", "refuse");

  @Override
  public void recover(Parser parser, RecognitionException e) {
    int index = parser.getInputStream().index();
    if (lastErrorIndex == index
        && lastErrorStates != null
        && lastErrorStates.contains(parser.getState())) {
      parser.consume();
    }
    lastErrorIndex = parser.getInputStream().index();
    if (lastErrorStates == null) {
      lastErrorStates = new IntervalSet();
    }
    lastErrorStates.add(parser.getState());
    skip(parser, getErrorRecoverySet(parser));
  }

  /**
   * A list of declarations or statements goes on after a part that cannot be read, instead of
   * ending there.
   */
  @Override
  public void sync(Parser parser) {
    ATNState state = parser.getInterpreter().atn.states.get(parser.getState());
    boolean loop =
        state.getStateType() == ATNState.STAR_LOOP_ENTRY
            || state.getStateType() == ATNState.STAR_LOOP_BACK;
    if (!loop) {
      super.sync(parser);
      return;
    }
    IntervalSet next = parser.getATN().nextTokens(state);
    if (inErrorRecoveryMode(parser)
        || next.contains(Token.EPSILON)
        || next.contains(parser.getInputStream().LA(1))) {
      return;
    }
    reportUnwantedToken(parser);
    skip(parser, parser.getExpectedTokens().or(getErrorRecoverySet(parser)));
  }

  /** Never: the token is more often the next declaration's than one too many. */
  @Override
  protected Token singleTokenDeletion(Parser parser) {
    return null;
  }

  private static void skip(Parser parser, IntervalSet follow) {
    int line = parser.getCurrentToken().getLine();
    while (parser.getCurrentToken().getType() != Token.EOF
        && !declares(parser.getTokenStream())
        && (parser.getCurrentToken().getLine() == line
            || !follow.contains(parser.getCurrentToken().getType()))) {
      // A closing brace on the fault's line still closes.
      if (parser.getCurrentToken().getText().equals("}")
          && follow.contains(parser.getCurrentToken().getType())) {
        return;
      }
      parser.consume();
    }
  }

  private static boolean declares(TokenStream tokens) {
    Token token = tokens.LT(1);
    if (token.getType() == ModelSpecLexer.NAME) {
      return false;
    }
    Token before = tokens.LT(-1);
    boolean first = before == null || before.getLine() < token.getLine();
    return DECLARING.contains(token.getText())
        || first && DECLARING_AT_START.contains(token.getText());
  }
}
