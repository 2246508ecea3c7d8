package dev.heddle.compiler.spec;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Evaluates expressions over names that subclasses know. */
abstract class Evaluator {
  /** No spec of a real model comes near: 94 layers take some 20 000 steps. */
  private static final int MOST_STEPS = 20_000_000;

  /** Deeper expressions would exhaust the stack of a Java thread. */
  private static final int DEEPEST = 600;

  private int steps;
  private int depth;

  /** The value of a name; {@code locals} come first. */
  protected abstract Val name(Expr.Name name, Map<String, Val> locals);

  /** The result of a call. */
  protected abstract Val call(Expr.Call call, Map<String, Val> locals);

  /** The value of what stands before an index. */
  protected Val indexed(Expr base, Map<String, Val> locals) {
    return eval(base, locals);
  }

  protected Val field(Expr.Field field, Map<String, Val> locals) {
    Val base = eval(field.base(), locals);
    if (base instanceof Val.Scaling s) {
      return switch (field.field()) {
        case "longrope" -> new Val.Bool(s.longrope());
        case "original_context" -> new Val.Real(s.originalContext());
        default ->
            throw new Fault(
                field.span(),
                "a rope scaling has no field '"
                    + field.field()
                    + "'"
                    + Names.suggestion(field.field(), List.of("longrope", "original_context")));
      };
    }
    throw new Fault(field.span(), base.kind() + " has no fields");
  }

  protected Val tensorBinary(Expr.Binary b, Val left, Val right) {
    return Scalars.binary(b, left, right);
  }

  protected Val stack(Expr.Stack stack, Map<String, Val> locals) {
    throw new Fault(stack.span(), "'stack' stands in a graph only");
  }

  final Val eval(Expr e, Map<String, Val> locals) {
    if (++steps > MOST_STEPS) {
      throw new Fault(e.span(), "this spec takes more than " + MOST_STEPS + " evaluation steps");
    }
    if (++depth > DEEPEST) {
      depth--;
      throw new Fault(e.span(), "this expression is nested too deeply");
    }
    try {
      return value(e, locals);
    } finally {
      depth--;
    }
  }

  private Val value(Expr e, Map<String, Val> locals) {
    return switch (e) {
      case Expr.Number n ->
          n.whole() && n.value() < 1e15 ? new Val.Int((long) n.value()) : new Val.Real(n.value());
      case Expr.Text t -> new Val.Text(t.value());
      case Expr.Bool b -> new Val.Bool(b.value());
      case Expr.None n -> new Val.None();
      case Expr.Name n -> name(n, locals);
      case Expr.Field f -> field(f, locals);
      case Expr.Index i -> index(i, indexed(i.base(), locals), eval(i.index(), locals));
      case Expr.Call c -> call(c, locals);
      case Expr.Unary u -> Scalars.unary(u, eval(u.operand(), locals));
      case Expr.Binary b -> binary(b, locals);
      case Expr.Choice c ->
          eval(
              Scalars.truth(c.condition().span(), eval(c.condition(), locals)) ? c.yes() : c.no(),
              locals);
      case Expr.Items items -> {
        List<Val> list = new ArrayList<>();
        for (Expr item : items.items()) {
          list.add(eval(item, locals));
        }
        yield new Val.Items(list);
      }
      case Expr.Stack s -> stack(s, locals);
    };
  }

  private Val binary(Expr.Binary b, Map<String, Val> locals) {
    Val left = eval(b.left(), locals);
    if (b.sign().equals("and") || b.sign().equals("or")) {
      boolean first = Scalars.truth(b.left().span(), left);
      return first == b.sign().equals("or")
          ? left
          : new Val.Bool(Scalars.truth(b.right().span(), eval(b.right(), locals)));
    }
    return tensorBinary(b, left, eval(b.right(), locals));
  }

  private static Val index(Expr.Index at, Val base, Val index) {
    List<Val> list = Scalars.items(at.base().span(), base);
    long i = Scalars.integer(at.index().span(), index);
    if (i < 0 || i >= list.size()) {
      throw new Fault(at.span(), "index " + i + " lies outside a list of " + list.size());
    }
    return list.get((int) i);
  }
}
