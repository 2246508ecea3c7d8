package dev.heddle.compiler.spec;

import java.util.List;

/** An expression of a spec, with the place where it stands. */
public sealed interface Expr {
  /** Where it stands; an operator's place is its sign. */
  Span span();

  /** A number; {@code whole} if it was written without point and exponent. */
  record Number(Span span, double value, boolean whole) implements Expr {}

  record Text(Span span, String value) implements Expr {}

  record Bool(Span span, boolean value) implements Expr {}

  record None(Span span) implements Expr {}

  record Name(Span span, String name) implements Expr {}

  /** {@code base.field}; the span is the field's. */
  record Field(Span span, Expr base, String field) implements Expr {}

  record Index(Span span, Expr base, Expr index) implements Expr {}

  /** {@code name(args)}; the span is the name's. */
  record Call(Span span, String name, List<Argument> arguments) implements Expr {}

  record Unary(Span span, String sign, Expr operand) implements Expr {}

  record Binary(Span span, String sign, Expr left, Expr right) implements Expr {}

  record Choice(Span span, Expr condition, Expr yes, Expr no) implements Expr {}

  record Items(Span span, List<Expr> items) implements Expr {}

  /** {@code stack(start, variable in from .. to)}, both ends included. */
  record Stack(Span span, Expr start, String variable, Expr from, Expr to) implements Expr {}

  /** An argument; {@code name} is null for a positional one. */
  record Argument(Span span, String name, Expr value) {}
}
