package dev.heddle.ir;

/** One dimension of a shape: a constant, or a symbol whose value a step decides. */
public sealed interface Dim {
  /** Tokens of the step. */
  Sym T = new Sym("T");

  /** Requested output rows of the step. */
  Sym R = new Sym("R");

  /** Sequences of the step. */
  Sym S = new Sym("S");

  /** Cached positions of a sequence. */
  Sym C = new Sym("C");

  /** A constant of at least 1. */
  record Const(long value) implements Dim {
    public Const {
      if (value < 1) {
        throw new IllegalArgumentException("a constant dimension is at least 1, not " + value);
      }
    }

    @Override
    public String toString() {
      return Long.toString(value);
    }
  }

  /** A symbol: T, S, C or R (design.md 2). */
  record Sym(String name) implements Dim {
    @Override
    public String toString() {
      return name;
    }
  }

  /** A constant dimension. */
  static Dim of(long value) {
    return new Const(value);
  }

  /** The constant's value; a symbol has none. */
  default long value() {
    return switch (this) {
      case Const c -> c.value;
      case Sym s ->
          throw new IllegalStateException("dimension " + s.name + " is known only in a step");
    };
  }
}
