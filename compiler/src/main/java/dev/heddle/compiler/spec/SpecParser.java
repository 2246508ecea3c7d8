package dev.heddle.compiler.spec;

import dev.heddle.compiler.spec.grammar.ModelSpecLexer;
import dev.heddle.compiler.spec.grammar.ModelSpecParser;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;

/** Reads {@code *.model} text. */
public final class SpecParser {
  private SpecParser() {}

  /**
   * Parses a spec.
   *
   * @param file the name that diagnostics show
   * @param text the source
   * @throws SpecException with up to {@value SpecException#LIMIT} faults; parsing goes on after
   *     each
   */
  public static Spec parse(String file, String text) {
    Diagnostics diagnostics = new Diagnostics(file, text);
    SyntaxErrors errors = new SyntaxErrors(diagnostics);
    ModelSpecLexer lexer = new ModelSpecLexer(CharStreams.fromString(text, file));
    lexer.removeErrorListeners();
    lexer.addErrorListener(errors);
    CommonTokenStream tokens = new CommonTokenStream(lexer);
    if (!Nesting.check(tokens, diagnostics)) {
      diagnostics.throwIfAny();
    }
    ModelSpecParser parser = new ModelSpecParser(tokens);
    parser.removeErrorListeners();
    parser.addErrorListener(errors);
    parser.setErrorHandler(new SyntaxRecovery());
    ModelSpecParser.FileContext tree = parser.file();
    diagnostics.throwIfAny();
    Spec spec = new DeclarationBuilder(diagnostics).build(file, text, tree);
    diagnostics.throwIfAny();
    return spec;
  }
}
