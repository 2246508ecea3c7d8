package dev.heddle.compiler.spec;

import dev.heddle.ir.Dim;
import dev.heddle.ir.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The arguments of one op call by name, converted to what the op takes; each failure is a fault at
 * the argument.
 */
final class OpArguments {
  /** An argument and where it stands. */
  record Given(Span span, Val value) {}

  private final TensorBuilder tensors;
  private final Expr.Call call;
  private final Map<String, Given> given;

  OpArguments(TensorBuilder tensors, Expr.Call call, Map<String, Given> given) {
    this.tensors = tensors;
    this.call = call;
    this.given = given;
  }

  Span span() {
    return call.span();
  }

  Span at(String name) {
    Given g = given.get(name);
    return g == null ? call.span() : g.span();
  }

  Fault fault(String name, String sentence) {
    return new Fault(at(name), sentence);
  }

  /** True if the argument is written, even as none. */
  boolean isGiven(String name) {
    return given.containsKey(name);
  }

  /** True if the argument has a value. */
  boolean has(String name) {
    return given.containsKey(name) && !(given.get(name).value() instanceof Val.None);
  }

  Val value(String name) {
    Given g = given.get(name);
    if (g == null) {
      throw new Fault(call.span(), "'" + call.name() + "' needs '" + name + "'");
    }
    return g.value();
  }

  Val.Tensor tensor(String name) {
    return tensors.tensor(at(name), value(name));
  }

  /** The weight behind an argument, or null if it is no weight. */
  ResolvedWeight weight(String name) {
    return value(name) instanceof Val.Weight w ? w.weight() : null;
  }

  TensorBuilder tensors() {
    return tensors;
  }

  double number(String name) {
    return Scalars.real(at(name), value(name));
  }

  double number(String name, double otherwise) {
    return has(name) ? number(name) : otherwise;
  }

  int integer(String name) {
    return integer(at(name), value(name));
  }

  private static int integer(Span span, Val v) {
    long n = Scalars.integer(span, v);
    if (n != (int) n) {
      throw new Fault(span, n + " is too large here");
    }
    return (int) n;
  }

  List<Val> items(String name) {
    return Scalars.items(at(name), value(name));
  }

  List<Integer> integers(String name) {
    List<Integer> list = new ArrayList<>();
    if (has(name)) {
      for (Val v : items(name)) {
        list.add(integer(at(name), v));
      }
    }
    return list;
  }

  String word(String name) {
    return switch (value(name)) {
      case Val.Word w -> w.word();
      case Val other ->
          throw fault(
              name, "'" + call.name() + "' takes a word for '" + name + "', not " + other.kind());
    };
  }

  <E extends Enum<E>> E choice(String name, Class<E> type, E otherwise) {
    if (!has(name) && otherwise != null) {
      return otherwise;
    }
    List<String> known = new ArrayList<>();
    for (E e : type.getEnumConstants()) {
      known.add(e.name().toLowerCase(Locale.ROOT));
    }
    if (!has(name)) {
      throw new Fault(
          call.span(), "'" + call.name() + "' needs '" + name + "': " + String.join(", ", known));
    }
    String word = word(name);
    if (!known.contains(word)) {
      throw fault(
          name,
          "'"
              + word
              + "' is no "
              + name
              + " of '"
              + call.name()
              + "': "
              + String.join(", ", known)
              + Names.suggestion(word, known));
    }
    return Enum.valueOf(type, word.toUpperCase(Locale.ROOT));
  }

  Val.Scaling scaling(String name) {
    if (!has(name)) {
      return ParamSource.NO_SCALING;
    }
    return switch (value(name)) {
      case Val.Scaling s -> s;
      case Val other -> throw fault(name, "a rope scaling is needed here, not " + other.kind());
    };
  }

  /** A dimension: a number, or 'last' (-1), or 'first' (0); absent = last. */
  int dimension(String name) {
    if (!has(name)) {
      return -1;
    }
    if (value(name) instanceof Val.Word w) {
      return switch (w.word()) {
        case "last" -> -1;
        case "first" -> 0;
        default ->
            throw fault(name, "a dimension is a number, 'first' or 'last', not '" + w.word() + "'");
      };
    }
    return integer(name);
  }

  long lastDim(String name) {
    Val.Tensor t = tensor(name);
    if (t.type().shape().rank() > 0 && t.type().shape().last() instanceof Dim.Const c) {
      return c.value();
    }
    throw fault(
        name, "'" + call.name() + "' needs a number as last dimension, not " + t.type().shape());
  }

  /** The positions of the step. */
  Val.Tensor pos() {
    return tensors.input(call.span(), Op.InputKind.POS);
  }

  Val.Tensor emit(Op op, Val.Tensor... inputs) {
    return tensors.emit(call.span(), op, List.of(inputs)).get(0);
  }

  List<Val.Tensor> emitAll(Op op, List<Val.Tensor> inputs) {
    return tensors.emit(call.span(), op, inputs);
  }
}
