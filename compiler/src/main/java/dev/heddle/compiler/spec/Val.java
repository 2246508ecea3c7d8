package dev.heddle.compiler.spec;

import dev.heddle.ir.Op;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.Value;
import java.util.List;
import java.util.stream.Collectors;

/** What an expression of a spec is worth while a model is elaborated. */
sealed interface Val {

  /** A whole number. */
  record Int(long value) implements Val {
    @Override
    public String toString() {
      return Long.toString(value);
    }
  }

  /** A real number. */
  record Real(double value) implements Val {
    @Override
    public String toString() {
      return Double.toString(value);
    }
  }

  record Bool(boolean value) implements Val {
    @Override
    public String toString() {
      return Boolean.toString(value);
    }
  }

  record Text(String value) implements Val {
    @Override
    public String toString() {
      return value;
    }
  }

  /** "none". */
  record None() implements Val {
    @Override
    public String toString() {
      return "none";
    }
  }

  /** A word that an attribute or a shape understands: {@code neox}, {@code silu}, {@code T}. */
  record Word(String word) implements Val {
    @Override
    public String toString() {
      return word;
    }
  }

  record Items(List<Val> items) implements Val {
    @Override
    public String toString() {
      boolean uniform = items.size() > 1 && items.stream().distinct().count() == 1;
      return uniform
          ? items.get(0) + " x " + items.size()
          : items.stream().map(Val::toString).collect(Collectors.joining(", ", "[", "]"));
    }
  }

  /**
   * Scaling of rope angles.
   *
   * @param originalContext context of the pre-training, for the choice between long and short
   *     factors; 0 = unknown
   */
  record Scaling(Op.RopeScaling scaling, boolean longrope, double originalContext) implements Val {
    @Override
    public String toString() {
      return switch (scaling) {
        case Op.RopeScaling.None n -> longrope ? "longrope" : "none";
        case Op.RopeScaling.Linear l -> "linear " + l.factor();
        case Op.RopeScaling.Yarn y -> longrope ? "longrope" : "yarn " + y.factor();
      };
    }
  }

  /** A value of the graph, and where it was made. */
  record Tensor(Value value, TensorType type, Span made) implements Val {}

  /** A weight that the model has. */
  record Weight(ResolvedWeight weight) implements Val {}

  /** An optional weight that the model has not. */
  record Absent(String name, Span declared) implements Val {}

  /** A state of one layer at the start of the step. */
  record State(String name, Tensor tensor) implements Val {}

  /** Several results. */
  record Tuple(List<Val> items) implements Val {}

  /** The result of something that was reported already. */
  record Poison() implements Val {}

  /** What it is, for messages. */
  default String kind() {
    return switch (this) {
      case Int i -> "the number " + i;
      case Real r -> "the number " + r;
      case Bool b -> "the truth value " + b;
      case Text t -> "the text \"" + t + "\"";
      case None n -> "none";
      case Word w -> "the word '" + w.word() + "'";
      case Items i -> "a list";
      case Scaling s -> "a rope scaling";
      case Tensor t -> "a tensor " + t.type();
      case Weight w -> "the weight '" + w.weight().tensor() + "'";
      case Absent a -> "an absent weight";
      case State s -> "the state '" + s.name() + "'";
      case Tuple t -> t.items().size() + " results";
      case Poison p -> "a value with errors";
    };
  }
}
