package dev.heddle.compiler.spec;

import dev.heddle.compiler.spec.grammar.ModelSpecLexer;
import dev.heddle.compiler.spec.grammar.ModelSpecParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.antlr.v4.runtime.BaseErrorListener;
import org.antlr.v4.runtime.NoViableAltException;
import org.antlr.v4.runtime.Parser;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Recognizer;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.misc.IntervalSet;

/**
 * Says in a sentence what the parser expected. One fault a line: the rest of a line often follows
 * from its first.
 */
final class SyntaxErrors extends BaseErrorListener {
  private static final List<String> DECLARATIONS =
      List.of(
          "param", "config", "weight", "weights", "ignore", "refuse", "state", "def", "layer",
          "graph");
  private static final List<String> WORDS =
      List.of(
          "optional",
          "otherwise",
          "require",
          "default",
          "return",
          "capture",
          "when",
          "rows",
          "role",
          "with",
          "else");
  private static final Set<Integer> EXPRESSION_START =
      Set.of(ModelSpecLexer.NUMBER, ModelSpecLexer.NAME, ModelSpecLexer.STRING);
  private static final int MOST_LISTED = 5;

  private final Diagnostics diagnostics;
  private int lastLine = -1;

  SyntaxErrors(Diagnostics diagnostics) {
    this.diagnostics = diagnostics;
  }

  @Override
  public void syntaxError(
      Recognizer<?, ?> recognizer,
      Object offending,
      int line,
      int column,
      String message,
      RecognitionException e) {
    if (!(recognizer instanceof Parser parser) || !(offending instanceof Token given)) {
      report(new Span(line, column + 1, 1), "this character cannot be read");
      return;
    }
    // A prediction that looked ahead failed at its last token, which is where the reader's eye
    // should go.
    Token token =
        e instanceof NoViableAltException n && n.getOffendingToken() != null
            ? n.getOffendingToken()
            : given;
    Token before = before(parser);
    boolean inFile = parser.getContext().getRuleIndex() == ModelSpecParser.RULE_file;
    boolean lineEnds =
        before != null
            && !inFile
            && (before.getLine() < token.getLine() || token.getType() == Token.EOF);
    report(lineEnds ? after(before) : AstBuilder.span(token), sentence(parser, token, e, lineEnds));
  }

  private static Token before(Parser parser) {
    return parser.getInputStream().index() > 0 ? parser.getTokenStream().LT(-1) : null;
  }

  /** The place behind a token. */
  private static Span after(Token token) {
    return new Span(
        token.getLine(), token.getCharPositionInLine() + token.getText().length() + 1, 1);
  }

  private void report(Span span, String sentence) {
    if (span.line() != lastLine) {
      lastLine = span.line();
      diagnostics.add(span, sentence);
    }
  }

  private static String sentence(
      Parser parser, Token token, RecognitionException e, boolean lineEnds) {
    if (token.getType() == ModelSpecLexer.OTHER) {
      return token.getText().equals("\"")
          ? "this text has no closing quote"
          : "'" + token.getText() + "' has no meaning here";
    }
    String found = found(token);
    int rule = parser.getContext().getRuleIndex();
    if (rule == ModelSpecParser.RULE_file) {
      return parser.getContext().getChildCount() == 0
          ? "a spec begins with 'model NAME', not with " + found
          : "a declaration is expected ("
              + String.join(", ", DECLARATIONS)
              + "), not "
              + found
              + Names.suggestion(token.getText(), DECLARATIONS);
    }
    String expected = expected(parser, e);
    Token before = before(parser);
    String place = before == null ? "" : " after '" + before.getText() + "'";
    String hint = hint(before);
    hint = hint.isEmpty() ? hint(token) : hint;
    if (lineEnds && expected != null) {
      return expected + " is expected" + place + hint;
    }
    return (expected == null
            ? found + " cannot stand here" + place
            : expected + " is expected" + place + ", not " + found)
        + hint;
  }

  /** A name that is almost a word of the language. */
  private static String hint(Token token) {
    return token == null
            || token.getType() != ModelSpecLexer.NAME
            || WORDS.contains(token.getText())
        ? ""
        : Names.suggestion(token.getText(), WORDS);
  }

  private static String found(Token token) {
    return token.getType() == Token.EOF ? "the end of the file" : "'" + token.getText() + "'";
  }

  private static String expected(Parser parser, RecognitionException e) {
    if (e instanceof NoViableAltException) {
      return null;
    }
    IntervalSet set = parser.getExpectedTokens();
    if (set.toSet().containsAll(EXPRESSION_START)) {
      return "an expression";
    }
    List<String> words = new ArrayList<>();
    for (int type : set.toList()) {
      String literal = parser.getVocabulary().getLiteralName(type);
      if (type == ModelSpecLexer.NAME) {
        words.addFirst("a name");
      } else if (literal == null) {
        words.add(
            type == ModelSpecLexer.STRING
                ? "a text in quotes"
                : type == Token.EOF ? "the end" : "a number");
      } else if (!isSoftWord(literal) || !set.contains(ModelSpecLexer.NAME)) {
        words.add(literal);
      }
    }
    if (words.isEmpty() || words.size() > MOST_LISTED) {
      return null;
    }
    return words.size() == 1
        ? words.get(0)
        : String.join(", ", words.subList(0, words.size() - 1)) + " or " + words.getLast();
  }

  /** Words that are names wherever a name may stand. */
  private static boolean isSoftWord(String literal) {
    return Set.of("'of'", "'role'", "'ignore'", "'refuse'", "'config'", "'model'", "'weight'")
        .contains(literal);
  }
}
