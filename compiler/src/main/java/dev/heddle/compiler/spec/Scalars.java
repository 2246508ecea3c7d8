package dev.heddle.compiler.spec;

import dev.heddle.ir.Op;
import java.util.List;
import java.util.Set;
import java.util.function.DoubleUnaryOperator;

/** Arithmetic of numbers, truth values and lists: what is known before any graph is built. */
final class Scalars {
  /** Functions of numbers and lists. */
  static final Set<String> FUNCTIONS =
      Set.of(
          "sqrt", "log", "exp", "abs", "min", "max", "sum", "count", "linear", "yarn", "present",
          "rows");

  private Scalars() {}

  static boolean isNumber(Val v) {
    return v instanceof Val.Int || v instanceof Val.Real;
  }

  static double real(Span span, Val v) {
    return switch (v) {
      case Val.Int i -> i.value();
      case Val.Real r -> r.value();
      case Val.Poison p -> throw new Fault(span, Fault.REPORTED);
      default -> throw new Fault(span, "a number is needed here, not " + v.kind());
    };
  }

  static long integer(Span span, Val v) {
    return switch (v) {
      case Val.Int i -> i.value();
      case Val.Real r when r.value() == Math.rint(r.value()) && Math.abs(r.value()) < 1e15 ->
          (long) r.value();
      case Val.Poison p -> throw new Fault(span, Fault.REPORTED);
      default -> throw new Fault(span, "a whole number is needed here, not " + v.kind());
    };
  }

  static boolean truth(Span span, Val v) {
    return switch (v) {
      case Val.Bool b -> b.value();
      case Val.Poison p -> throw new Fault(span, Fault.REPORTED);
      default -> throw new Fault(span, "a truth value is needed here, not " + v.kind());
    };
  }

  static Val unary(Expr.Unary u, Val v) {
    if (u.sign().equals("not")) {
      return new Val.Bool(!truth(u.operand().span(), v));
    }
    return v instanceof Val.Int i && i.value() != Long.MIN_VALUE
        ? new Val.Int(-i.value())
        : new Val.Real(-real(u.operand().span(), v));
  }

  static Val binary(Expr.Binary b, Val left, Val right) {
    Span span = b.span();
    if (left instanceof Val.Poison || right instanceof Val.Poison) {
      throw new Fault(span, Fault.REPORTED);
    }
    switch (b.sign()) {
      case "==":
        return new Val.Bool(equal(left, right));
      case "!=":
        return new Val.Bool(!equal(left, right));
      default:
        break;
    }
    if (left instanceof Val.Int x && right instanceof Val.Int y) {
      return whole(b, x.value(), y.value());
    }
    double x = real(b.left().span(), left);
    double y = real(b.right().span(), right);
    return switch (b.sign()) {
      case "+" -> new Val.Real(x + y);
      case "-" -> new Val.Real(x - y);
      case "*" -> new Val.Real(x * y);
      case "/" -> new Val.Real(x / y);
      case "%" -> throw new Fault(span, "'%' needs whole numbers, not " + left + " and " + right);
      case "^" -> new Val.Real(Math.pow(x, y));
      default -> compare(b, x, y);
    };
  }

  private static Val whole(Expr.Binary b, long x, long y) {
    try {
      return switch (b.sign()) {
        case "+" -> new Val.Int(Math.addExact(x, y));
        case "-" -> new Val.Int(Math.subtractExact(x, y));
        case "*" -> new Val.Int(Math.multiplyExact(x, y));
        case "/" -> {
          checkDivisor(b, y);
          yield x % y == 0 ? new Val.Int(x / y) : new Val.Real((double) x / y);
        }
        case "%" -> {
          checkDivisor(b, y);
          yield new Val.Int(x % y);
        }
        case "^" -> power(x, y);
        default -> compare(b, x, y);
      };
    } catch (ArithmeticException e) {
      throw new Fault(b.span(), x + " " + b.sign() + " " + y + " does not fit 64 bits");
    }
  }

  private static void checkDivisor(Expr.Binary b, long y) {
    if (y == 0) {
      throw new Fault(b.span(), "'" + b.sign() + "' divides by zero");
    }
  }

  private static Val power(long x, long y) {
    double p = Math.pow(x, y);
    return y >= 0 && Math.abs(p) < 1e15 ? new Val.Int((long) p) : new Val.Real(p);
  }

  private static Val compare(Expr.Binary b, double x, double y) {
    return new Val.Bool(
        switch (b.sign()) {
          case "<" -> x < y;
          case "<=" -> x <= y;
          case ">" -> x > y;
          case ">=" -> x >= y;
          default -> throw new Fault(b.span(), "'" + b.sign() + "' does not apply to numbers");
        });
  }

  private static boolean equal(Val left, Val right) {
    return isNumber(left) && isNumber(right)
        ? real(null, left) == real(null, right)
        : left.equals(right);
  }

  static List<Val> items(Span span, Val v) {
    return switch (v) {
      case Val.Items i -> i.items();
      case Val.Poison p -> throw new Fault(span, Fault.REPORTED);
      default -> throw new Fault(span, "a list is needed here, not " + v.kind());
    };
  }

  /** A function of numbers; {@code arguments} are values, in order; names were dropped. */
  static Val call(Span span, String name, List<Val> arguments) {
    return switch (name) {
      case "sqrt" -> one(span, name, arguments, Math::sqrt);
      case "log" -> one(span, name, arguments, Math::log);
      case "exp" -> one(span, name, arguments, Math::exp);
      case "abs" ->
          arguments.size() == 1 && arguments.get(0) instanceof Val.Int i
              ? new Val.Int(Math.abs(i.value()))
              : one(span, name, arguments, Math::abs);
      case "min" -> best(span, spread(span, name, arguments), -1);
      case "max" -> best(span, spread(span, name, arguments), 1);
      case "count" -> new Val.Int(items(span, single(span, name, arguments)).size());
      case "sum" -> total(span, items(span, single(span, name, arguments)));
      case "linear" ->
          new Val.Scaling(
              new Op.RopeScaling.Linear(real(span, single(span, name, arguments))), false, 0);
      case "yarn" -> yarn(span, arguments);
      default ->
          throw new Fault(
              span, "there is no function '" + name + "'" + Names.suggestion(name, FUNCTIONS));
    };
  }

  private static Val yarn(Span span, List<Val> a) {
    if (a.size() != 2) {
      throw new Fault(span, "yarn takes a factor and the original context: yarn(4, 32768)");
    }
    double original = real(span, a.get(1));
    return new Val.Scaling(
        new Op.RopeScaling.Yarn(real(span, a.get(0)), original, 1, 32, 1), false, original);
  }

  private static Val single(Span span, String name, List<Val> a) {
    if (a.size() != 1) {
      throw new Fault(span, "'" + name + "' takes one argument, not " + a.size());
    }
    return a.get(0);
  }

  private static Val one(Span span, String name, List<Val> a, DoubleUnaryOperator f) {
    return new Val.Real(f.applyAsDouble(real(span, single(span, name, a))));
  }

  private static List<Val> spread(Span span, String name, List<Val> a) {
    List<Val> list = a.size() == 1 && a.get(0) instanceof Val.Items i ? i.items() : a;
    if (list.isEmpty()) {
      throw new Fault(span, "'" + name + "' needs at least one number");
    }
    return list;
  }

  private static Val best(Span span, List<Val> list, int direction) {
    Val best = list.get(0);
    for (Val v : list) {
      best = Double.compare(real(span, v), real(span, best)) * direction > 0 ? v : best;
    }
    return best;
  }

  private static Val total(Span span, List<Val> list) {
    double sum = 0;
    for (Val v : list) {
      sum += real(span, v);
    }
    boolean whole = list.stream().allMatch(v -> v instanceof Val.Int) && Math.abs(sum) < 1e15;
    return whole ? new Val.Int((long) sum) : new Val.Real(sum);
  }
}
