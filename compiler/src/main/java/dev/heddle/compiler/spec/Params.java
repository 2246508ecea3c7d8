package dev.heddle.compiler.spec;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The parameters of a spec for one model. Resolved on demand, so that their order in the spec never
 * matters.
 */
final class Params extends Evaluator {
  /** More layers, heads or sections than any model has: a number above this in a file is a lie. */
  static final int LONGEST_ARRAY = 10_000;

  private static final Set<String> TYPES = Set.of("int", "float", "bool", "text", "rope_scaling");

  private static final Set<String> OF_LISTS = Set.of("sum", "count", "min", "max");

  private final Spec spec;
  private final ParamSource source;
  private final Diagnostics diagnostics;
  private final Map<String, Spec.Param> declared = new LinkedHashMap<>();
  private final Map<String, Val> values = new LinkedHashMap<>();
  private final Set<String> open = new HashSet<>();

  /** Index of the array element being computed, or -1. */
  private int element = -1;

  Params(Spec spec, ParamSource source, Diagnostics diagnostics) {
    this.spec = spec;
    this.source = source;
    this.diagnostics = diagnostics;
    spec.params().forEach(p -> declared.put(p.name(), p));
  }

  /** Resolves all parameters and checks their requirements. */
  void resolveAll() {
    for (Spec.Param p : spec.params()) {
      try {
        value(p);
      } catch (Fault f) {
        report(f);
      }
    }
  }

  Collection<String> names() {
    return declared.keySet();
  }

  boolean has(String name) {
    return declared.containsKey(name);
  }

  /** A resolved parameter. */
  Val get(String name) {
    return value(declared.get(name));
  }

  Spec.Param declaration(String name) {
    return declared.get(name);
  }

  private void report(Fault f) {
    if (!f.isReported()) {
      diagnostics.add(f.span(), f.getMessage());
    }
  }

  private Val value(Spec.Param p) {
    Val known = values.get(p.name());
    if (known != null) {
      if (known instanceof Val.Poison) {
        throw new Fault(p.span(), Fault.REPORTED);
      }
      return known;
    }
    if (!open.add(p.name())) {
      throw new Fault(p.span(), "parameter '" + p.name() + "' depends on itself");
    }
    int outer = element;
    element = -1;
    try {
      Val v = resolve(p);
      values.put(p.name(), v);
      require(p);
      return v;
    } catch (Fault f) {
      report(f);
      values.put(p.name(), new Val.Poison());
      throw new Fault(p.span(), Fault.REPORTED);
    } finally {
      element = outer;
      open.remove(p.name());
    }
  }

  private Val resolve(Spec.Param p) {
    if (!TYPES.contains(p.type())) {
      throw new Fault(
          p.span(),
          "there is no parameter type '"
              + p.type()
              + "': "
              + String.join(", ", TYPES.stream().sorted().toList())
              + Names.suggestion(p.type(), TYPES));
    }
    Expr set = source.setting(p.name());
    if (set != null) {
      return typed(p, eval(set, Map.of()), "config '" + source.name() + "'");
    }
    if (!(p.value() instanceof Expr.Text key)) {
      return p.length() == null
          ? typed(p, eval(p.value(), Map.of()), "the formula")
          : elements(p, p.value());
    }
    Val found =
        p.type().equals("rope_scaling")
            ? source.scaling(p, key.value())
            : source.metadata(p, key.value());
    if (found != null) {
      return typed(p, found, "'" + source.key(key.value()) + "' in " + source.name());
    }
    if (p.fallback() == null) {
      throw new Fault(p.span(), source.missing(p, key.value()));
    }
    return p.length() == null
        ? typed(p, eval(p.fallback(), Map.of()), "the default")
        : elements(p, p.fallback());
  }

  private int length(Spec.Param p) {
    long n = Scalars.integer(p.length().span(), eval(p.length(), Map.of()));
    if (n < 0 || n > LONGEST_ARRAY) {
      throw new Fault(
          p.length().span(),
          "'"
              + p.name()
              + "' would have "
              + n
              + " entries; at most "
              + LONGEST_ARRAY
              + " are believed");
    }
    return (int) n;
  }

  /** An array from an expression that is evaluated for each l. */
  private Val elements(Spec.Param p, Expr formula) {
    int n = length(p);
    List<Val> list = new ArrayList<>();
    for (int l = 0; l < n; l++) {
      Val v = at(l, formula);
      if (v instanceof Val.Items whole) {
        return typed(p, whole, "the default");
      }
      list.add(scalar(p, v, "the default"));
    }
    return new Val.Items(list);
  }

  private Val at(int l, Expr formula) {
    int outer = element;
    element = l;
    try {
      return eval(formula, Map.of("l", new Val.Int(l)));
    } finally {
      element = outer;
    }
  }

  private Val typed(Spec.Param p, Val v, String from) {
    if (p.length() == null) {
      return v instanceof Val.Items i ? scalar(p, uniform(p, i, from), from) : scalar(p, v, from);
    }
    int n = length(p);
    List<Val> list = new ArrayList<>();
    if (v instanceof Val.Items i) {
      if (i.items().size() < n) {
        throw new Fault(
            p.span(),
            from
                + " gives "
                + i.items().size()
                + " entries for '"
                + p.name()
                + "', which has "
                + n);
      }
      i.items().subList(0, n).forEach(x -> list.add(scalar(p, x, from)));
    } else {
      Val one = scalar(p, v, from);
      for (int l = 0; l < n; l++) {
        list.add(one);
      }
    }
    return new Val.Items(list);
  }

  /** An array whose entries are all equal may stand for a number. */
  private static Val uniform(Spec.Param p, Val.Items list, String from) {
    if (list.items().isEmpty() || list.items().stream().distinct().count() != 1) {
      throw new Fault(
          p.span(),
          from
              + " gives a list for '"
              + p.name()
              + "', which this spec takes to be one "
              + p.type()
              + " for all layers");
    }
    return list.items().get(0);
  }

  private static Val scalar(Spec.Param p, Val v, String from) {
    Val result =
        switch (p.type()) {
          case "int" ->
              v instanceof Val.Int || v instanceof Val.Real r && r.value() == Math.rint(r.value())
                  ? new Val.Int(Scalars.integer(p.span(), v))
                  : null;
          case "float" -> Scalars.isNumber(v) ? new Val.Real(Scalars.real(p.span(), v)) : null;
          case "bool" -> v instanceof Val.Bool ? v : null;
          case "text" -> v instanceof Val.Text ? v : null;
          default ->
              v instanceof Val.None ? ParamSource.NO_SCALING : v instanceof Val.Scaling ? v : null;
        };
    if (result == null) {
      throw new Fault(
          p.span(),
          from + " gives " + v.kind() + " for '" + p.name() + "', which is of type " + p.type());
    }
    return result;
  }

  /** Checks at once, so that what is computed from a lie is never reported in its place. */
  private void require(Spec.Param p) {
    for (Spec.Requirement r : p.requirements()) {
      int n = p.length() == null ? 1 : ((Val.Items) values.get(p.name())).items().size();
      for (int l = 0; l < n; l++) {
        Val holds = p.length() == null ? eval(r.condition(), Map.of()) : at(l, r.condition());
        if (!Scalars.truth(r.span(), holds)) {
          throw new Fault(r.span(), violated(r, p, p.length() == null ? -1 : l));
        }
      }
    }
  }

  /** The broken condition with the numbers that break it, and where they come from. */
  private String violated(Spec.Requirement r, Spec.Param p, int l) {
    Set<String> names = new java.util.TreeSet<>();
    collect(r.condition(), names);
    List<String> numbers = new ArrayList<>();
    for (String name : names) {
      if (has(name)) {
        Val v = values.get(name);
        Val shown =
            l >= 0 && v instanceof Val.Items i && l < i.items().size() ? i.items().get(l) : v;
        numbers.add(name + " = " + shown + origin(declared.get(name)));
      }
    }
    String layer = l >= 0 ? " in layer " + l : "";
    String why = r.otherwise() == null ? r.written() + " does not hold" : r.otherwise();
    return source.name() + ": " + why + layer + ": " + String.join(", ", numbers);
  }

  private String origin(Spec.Param p) {
    boolean fromKey = p.value() instanceof Expr.Text && source.setting(p.name()) == null;
    return fromKey ? " ('" + source.key(((Expr.Text) p.value()).value()) + "')" : "";
  }

  private static void collect(Expr e, Set<String> names) {
    switch (e) {
      case Expr.Name n -> names.add(n.name());
      case Expr.Binary b -> {
        collect(b.left(), names);
        collect(b.right(), names);
      }
      case Expr.Unary u -> collect(u.operand(), names);
      case Expr.Index i -> collect(i.base(), names);
      case Expr.Field f -> collect(f.base(), names);
      case Expr.Call c -> c.arguments().forEach(a -> collect(a.value(), names));
      default -> {}
    }
  }

  @Override
  protected Val indexed(Expr base, Map<String, Val> locals) {
    int outer = element;
    element = -1;
    try {
      return eval(base, locals);
    } finally {
      element = outer;
    }
  }

  @Override
  protected Val name(Expr.Name name, Map<String, Val> locals) {
    Val local = locals.get(name.name());
    if (local != null) {
      return local;
    }
    Spec.Param p = declared.get(name.name());
    if (p == null) {
      throw new Fault(
          name.span(),
          "there is no parameter '" + name.name() + "'" + Names.suggestion(name.name(), names()));
    }
    int l = element;
    Val v = value(p);
    return l >= 0 && v instanceof Val.Items i && p.length() != null && l < i.items().size()
        ? i.items().get(l)
        : v;
  }

  @Override
  protected Val call(Expr.Call call, Map<String, Val> locals) {
    if (call.name().equals("rows")) {
      if (call.arguments().size() == 1 && call.arguments().get(0).value() instanceof Expr.Text t) {
        return new Val.Int(source.rows(call.span(), t.value()));
      }
      throw new Fault(call.span(), "'rows' takes a tensor's name: rows(\"token_embd.weight\")");
    }
    // sum(sections) means the whole list even where a list's name alone means its element for l.
    boolean whole = call.arguments().size() == 1 && OF_LISTS.contains(call.name());
    List<Val> arguments = new ArrayList<>();
    for (Expr.Argument a : call.arguments()) {
      arguments.add(whole ? indexed(a.value(), locals) : eval(a.value(), locals));
    }
    return Scalars.call(call.span(), call.name(), arguments);
  }
}
