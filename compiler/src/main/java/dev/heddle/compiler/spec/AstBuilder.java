package dev.heddle.compiler.spec;

import dev.heddle.compiler.spec.grammar.ModelSpecParser;
import java.util.ArrayList;
import java.util.List;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.tree.ParseTree;
import org.antlr.v4.runtime.tree.TerminalNode;

/** Turns expressions of the parse tree into {@link Expr}. Called for error-free trees only. */
class AstBuilder {
  /** The place of a tree, up to the end of its first line. */
  static Span span(ParserRuleContext tree) {
    Token start = tree.getStart();
    Token stop = tree.getStop() == null ? start : tree.getStop();
    int length =
        stop.getLine() == start.getLine()
            ? stop.getStopIndex() - start.getStartIndex() + 1
            : start.getStopIndex() - start.getStartIndex() + 1;
    return new Span(start.getLine(), start.getCharPositionInLine() + 1, Math.max(1, length));
  }

  static Span span(Token token) {
    int length = Math.max(1, token.getStopIndex() - token.getStartIndex() + 1);
    return new Span(token.getLine(), token.getCharPositionInLine() + 1, length);
  }

  static String unquote(TerminalNode text) {
    String quoted = text.getText();
    return quoted.substring(1, quoted.length() - 1);
  }

  static List<String> names(ModelSpecParser.NamesContext names) {
    return names == null
        ? List.of()
        : names.name().stream().map(ParserRuleContext::getText).toList();
  }

  /** The text of a tree as it was written, blanks reduced to one. */
  static String written(ParserRuleContext tree) {
    int from = tree.getStart().getStartIndex();
    int to = tree.getStop().getStopIndex();
    return tree.getStart()
        .getInputStream()
        .getText(org.antlr.v4.runtime.misc.Interval.of(from, to))
        .replaceAll("\\s+", " ");
  }

  List<Expr> exprs(List<ModelSpecParser.ExprContext> list) {
    return list.stream().map(this::expr).toList();
  }

  Expr exprOrNull(ModelSpecParser.ExprContext tree) {
    return tree == null ? null : expr(tree);
  }

  Expr expr(ModelSpecParser.ExprContext tree) {
    Expr condition = disjunction(tree.condition);
    return tree.expr().isEmpty()
        ? condition
        : new Expr.Choice(span(tree), condition, expr(tree.expr(0)), expr(tree.expr(1)));
  }

  private Expr disjunction(ModelSpecParser.DisjunctionContext tree) {
    return fold(tree, tree.conjunction().stream().map(this::conjunction).toList());
  }

  /** A condition that begins with a sign, of the named parameter. */
  Expr own(String param, ModelSpecParser.OwnContext tree) {
    Span span = span(tree.op);
    Expr first =
        new Expr.Binary(span, tree.op.getText(), new Expr.Name(span, param), sum(tree.sum()));
    return tree.conjunction() == null
        ? first
        : new Expr.Binary(span, "and", first, conjunction(tree.conjunction()));
  }

  private Expr conjunction(ModelSpecParser.ConjunctionContext tree) {
    return fold(tree, tree.negation().stream().map(this::negation).toList());
  }

  private Expr negation(ModelSpecParser.NegationContext tree) {
    return tree.negation() == null
        ? comparison(tree.comparison())
        : new Expr.Unary(span(tree), "not", negation(tree.negation()));
  }

  private Expr comparison(ModelSpecParser.ComparisonContext tree) {
    Expr left = sum(tree.sum(0));
    return tree.op == null
        ? left
        : new Expr.Binary(span(tree.op), tree.op.getText(), left, sum(tree.sum(1)));
  }

  Expr sum(ModelSpecParser.SumContext tree) {
    return fold(tree, tree.product().stream().map(this::product).toList());
  }

  private Expr product(ModelSpecParser.ProductContext tree) {
    return fold(tree, tree.unary().stream().map(this::unary).toList());
  }

  /** Operands joined from the left by the signs that stand between them. */
  private static Expr fold(ParserRuleContext tree, List<Expr> operands) {
    Expr result = operands.get(0);
    int operand = 1;
    for (ParseTree child : tree.children) {
      if (child instanceof TerminalNode sign) {
        result =
            new Expr.Binary(
                span(sign.getSymbol()), sign.getText(), result, operands.get(operand++));
      }
    }
    return result;
  }

  private Expr unary(ModelSpecParser.UnaryContext tree) {
    return tree.unary() == null
        ? power(tree.power())
        : new Expr.Unary(span(tree), "-", unary(tree.unary()));
  }

  private Expr power(ModelSpecParser.PowerContext tree) {
    Expr base = postfix(tree.postfix());
    return tree.unary() == null
        ? base
        : new Expr.Binary(span(tree), "^", base, unary(tree.unary()));
  }

  private Expr postfix(ModelSpecParser.PostfixContext tree) {
    Expr result = atom(tree.atom());
    for (ModelSpecParser.SuffixContext suffix : tree.suffix()) {
      result =
          switch (suffix) {
            case ModelSpecParser.FieldContext f ->
                new Expr.Field(span(f.name()), result, f.name().getText());
            case ModelSpecParser.IndexContext i ->
                new Expr.Index(span(tree), result, expr(i.expr()));
            default -> throw new IllegalStateException("unknown suffix " + suffix.getText());
          };
    }
    return result;
  }

  private Expr atom(ModelSpecParser.AtomContext tree) {
    Span span = span(tree);
    return switch (tree) {
      case ModelSpecParser.NumberContext n -> number(span, n.getText());
      case ModelSpecParser.TextContext t -> new Expr.Text(span, unquote(t.STRING()));
      case ModelSpecParser.YesContext y -> new Expr.Bool(span, true);
      case ModelSpecParser.NoContext n -> new Expr.Bool(span, false);
      case ModelSpecParser.NoneContext n -> new Expr.None(span);
      case ModelSpecParser.StackContext s ->
          new Expr.Stack(
              span(s.getStart()),
              expr(s.expr(0)),
              s.name().getText(),
              expr(s.expr(1)),
              expr(s.expr(2)));
      case ModelSpecParser.CallContext c ->
          new Expr.Call(span(c.name()), c.name().getText(), arguments(c.arguments()));
      case ModelSpecParser.VariableContext v -> new Expr.Name(span, v.getText());
      case ModelSpecParser.ListContext l -> new Expr.Items(span, exprs(l.expr()));
      case ModelSpecParser.GroupContext g -> expr(g.expr());
      default -> throw new IllegalStateException("unknown expression " + tree.getText());
    };
  }

  private static Expr number(Span span, String text) {
    return new Expr.Number(
        span, Double.parseDouble(text), text.chars().allMatch(Character::isDigit));
  }

  List<Expr.Argument> arguments(ModelSpecParser.ArgumentsContext tree) {
    List<Expr.Argument> list = new ArrayList<>();
    if (tree != null) {
      for (ModelSpecParser.ArgumentContext a : tree.argument()) {
        boolean named = a.name() != null;
        list.add(
            new Expr.Argument(
                named ? span(a.name()) : span(a),
                named ? a.name().getText() : null,
                expr(a.expr())));
      }
    }
    return list;
  }
}
