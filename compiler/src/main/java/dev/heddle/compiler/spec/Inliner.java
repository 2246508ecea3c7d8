package dev.heddle.compiler.spec;

import dev.heddle.ir.Op;
import dev.heddle.ir.Source;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Evaluates the functions of a spec with tensors for values: names are found, functions are
 * inlined, each op call becomes a node.
 */
class Inliner extends Evaluator {
  /** Words that attributes and shapes understand. */
  private static final Set<String> WORDS =
      Set.of(
          "T",
          "S",
          "C",
          "R",
          "norm",
          "neox",
          "imrope",
          "silu",
          "gelu_tanh",
          "gelu_erf",
          "relu",
          "softmax",
          "sigmoid",
          "sqrt_softplus",
          "identity",
          "chosen_score",
          "softmax_of_chosen",
          "last",
          "first",
          "tiled",
          "grouped",
          "tail");

  private final Params params;
  private final Weights weights;
  private final CompileOptions options;
  private final Diagnostics diagnostics;
  private final TensorBuilder tensors;
  private final OpCalls ops;
  private final Map<String, Spec.Def> defs = new HashMap<>();
  private final Map<String, Spec.Layer> layerKinds = new LinkedHashMap<>();
  private final States states;
  private final Set<String> active = new HashSet<>();
  private List<String> inputs = List.of();
  private String layerVariable = "l";

  Inliner(
      Spec spec, Params params, Weights weights, CompileOptions options, Diagnostics diagnostics) {
    this.params = params;
    this.weights = weights;
    this.options = options;
    this.diagnostics = diagnostics;
    this.tensors = new TensorBuilder(spec.file(), weights);
    this.ops = new OpCalls(this);
    this.states = new States(spec, this);
    spec.defs().forEach(d -> defs.put(d.name(), d));
    spec.layers().forEach(k -> layerKinds.put(k.name(), k));
    spec.states().stream().findFirst().ifPresent(s -> layerVariable = s.variable());
    weights.blocks().values().stream().findFirst().ifPresent(b -> layerVariable = b.variable());
  }

  final void report(Fault f) {
    if (!f.isReported()) {
      diagnostics.add(f.span(), f.getMessage());
    }
  }

  static void poison(Spec.Statement s, Map<String, Val> locals) {
    if (s instanceof Spec.Statement.Assign a) {
      a.names().forEach(n -> locals.put(n, new Val.Poison()));
    }
  }

  final void assign(Spec.Statement.Assign a, Map<String, Val> locals) {
    Val v = eval(a.value(), locals);
    if (a.names().size() == 1) {
      locals.put(a.names().get(0), v);
      return;
    }
    if (!(v instanceof Val.Tuple t) || t.items().size() != a.names().size()) {
      throw new Fault(a.span(), a.names().size() + " names need as many results, not " + v.kind());
    }
    for (int i = 0; i < a.names().size(); i++) {
      locals.put(a.names().get(i), t.items().get(i));
    }
  }

  static Op.InputKind inputKind(String name) {
    for (Op.InputKind kind : Op.InputKind.values()) {
      if (kind.name().toLowerCase(Locale.ROOT).equals(name)) {
        return kind;
      }
    }
    return null;
  }

  // ---- names
  // ----------------------------------------------------------------------------------------------------------------

  @Override
  protected Val name(Expr.Name n, Map<String, Val> locals) {
    Val local = locals.get(n.name());
    if (local != null) {
      return local;
    }
    if (n.name().equals(layerVariable) && tensors.layer() >= 0) {
      return new Val.Int(tensors.layer());
    }
    if (params.has(n.name())) {
      return params.get(n.name());
    }
    if (n.name().equals("limit")) {
      return new Val.Int(options.limit());
    }
    if (inputs.contains(n.name()) && inputKind(n.name()) != null) {
      return tensors.input(n.span(), inputKind(n.name()));
    }
    Val weight = weights.get(n.name(), tensors.layer());
    if (weight != null) {
      return weight;
    }
    if (WORDS.contains(n.name())) {
      return new Val.Word(n.name());
    }
    List<String> known = new ArrayList<>(locals.keySet());
    known.addAll(params.names());
    known.addAll(weights.names(null));
    known.addAll(inputs);
    known.addAll(WORDS);
    if (weights.isBlock(n.name())) {
      throw new Fault(
          n.span(),
          "'"
              + n.name()
              + "' is a block: name one of its weights, as in "
              + n.name()
              + ".attn_norm");
    }
    throw new Fault(
        n.span(), "there is no name '" + n.name() + "' here" + Names.suggestion(n.name(), known));
  }

  @Override
  protected Val field(Expr.Field f, Map<String, Val> locals) {
    if (f.base() instanceof Expr.Name block
        && weights.isBlock(block.name())
        && !locals.containsKey(block.name())) {
      return blockWeight(f, block.name());
    }
    return super.field(f, locals);
  }

  private Val blockWeight(Expr.Field f, String block) {
    String full = block + "." + f.field();
    Spec.Weight declared = weights.declaration(full);
    if (declared == null) {
      throw new Fault(
          f.span(),
          "no weight named '"
              + f.field()
              + "' in '"
              + block
              + "'"
              + Names.suggestion(f.field(), weights.names(block)));
    }
    if (tensors.layer() < 0) {
      throw new Fault(
          f.span(),
          "'" + full + "' belongs to a layer: use it in a layer or in what a layer calls");
    }
    Val v = weights.get(full, tensors.layer());
    if (v == null) {
      long[] range = weights.range(block);
      throw new Fault(
          f.span(),
          tensors.layer() < range[0] || tensors.layer() > range[1]
              ? "'"
                  + block
                  + "' has blocks "
                  + range[0]
                  + " .. "
                  + range[1]
                  + ", not "
                  + tensors.layer()
              : "'"
                  + full
                  + "' does not exist in block "
                  + tensors.layer()
                  + ": its 'when' on line "
                  + declared.conditions().getLast().span().line()
                  + " does not hold there");
    }
    return v;
  }

  // ---- calls
  // ----------------------------------------------------------------------------------------------------------------

  @Override
  protected Val call(Expr.Call c, Map<String, Val> locals) {
    if (c.name().equals("present")) {
      return present(c, locals);
    }
    if (states.has(c.name())) {
      return states.read(c, arguments(c, locals));
    }
    if (defs.containsKey(c.name())) {
      Spec.Def d = defs.get(c.name());
      return inline(c, d.name(), d.parameters(), d.role(), d.body(), locals);
    }
    if (layerKinds.containsKey(c.name())) {
      Spec.Layer k = layerKinds.get(c.name());
      return inline(c, k.name(), k.parameters(), null, k.body(), locals);
    }
    List<Val> values = arguments(c, locals);
    boolean scalars =
        values.stream()
            .allMatch(v ->
                Scalars.isNumber(v)
                    || v instanceof Val.Items i && i.items().stream().allMatch(Scalars::isNumber));
    if (Scalars.FUNCTIONS.contains(c.name()) && (scalars || !ops.has(c.name()))) {
      return Scalars.call(c.span(), c.name(), values);
    }
    if (!ops.has(c.name())) {
      Set<String> known = new LinkedHashSet<>(ops.names());
      known.addAll(defs.keySet());
      known.addAll(layerKinds.keySet());
      known.addAll(states.names());
      known.addAll(Scalars.FUNCTIONS);
      throw new Fault(
          c.span(), "op '" + c.name() + "' is not known" + Names.suggestion(c.name(), known));
    }
    return ops.call(c, values);
  }

  private List<Val> arguments(Expr.Call c, Map<String, Val> locals) {
    List<Val> list = new ArrayList<>();
    for (Expr.Argument a : c.arguments()) {
      Val v = eval(a.value(), locals);
      if (v instanceof Val.Poison) {
        throw new Fault(a.span(), Fault.REPORTED);
      }
      list.add(v);
    }
    return list;
  }

  private Val present(Expr.Call c, Map<String, Val> locals) {
    if (c.arguments().size() != 1) {
      throw new Fault(c.span(), "'present' takes one weight");
    }
    return switch (eval(c.arguments().get(0).value(), locals)) {
      case Val.Weight w -> new Val.Bool(true);
      case Val.Absent a -> new Val.Bool(false);
      case Val.None n -> new Val.Bool(false);
      case Val.Tensor t -> new Val.Bool(true);
      case Val.Poison p -> throw new Fault(c.span(), Fault.REPORTED);
      case Val other ->
          throw new Fault(c.span(), "'present' asks for a weight, not for " + other.kind());
    };
  }

  private Val inline(
      Expr.Call c,
      String name,
      List<String> parameters,
      String newRole,
      Spec.Body body,
      Map<String, Val> outer) {
    List<Val> values = arguments(c, outer);
    if (!active.add(name)) {
      throw new Fault(c.span(), "'" + name + "' calls itself: functions of a spec are inlined");
    }
    Source caller = tensors.caller();
    String role = tensors.role();
    try {
      Map<String, Val> locals = Bindings.of(c, name, parameters, values);
      tensors.within(newRole == null ? role : newRole, tensors.source(c.span()));
      return run(name, c.span(), body, locals);
    } finally {
      tensors.within(role, caller);
      active.remove(name);
    }
  }

  final Val run(String name, Span call, Spec.Body body, Map<String, Val> locals) {
    Val result = null;
    boolean faults = false;
    for (Spec.Statement s : body.statements()) {
      try {
        switch (s) {
          case Spec.Statement.Assign a -> assign(a, locals);
          case Spec.Statement.Return r -> result = eval(r.value(), locals);
          case Spec.Statement.Capture c ->
              throw new Fault(c.span(), "'capture' stands in a graph only");
        }
      } catch (Fault f) {
        report(f);
        poison(s, locals);
        faults = true;
      }
    }
    if (faults) {
      throw new Fault(call, Fault.REPORTED);
    }
    if (result == null) {
      throw new Fault(body.span(), "'" + name + "' returns nothing: end it with 'return ..'");
    }
    return result;
  }

  // ---- tensors
  // --------------------------------------------------------------------------------------------------------------

  @Override
  protected Val tensorBinary(Expr.Binary b, Val left, Val right) {
    boolean scalars = !isTensor(left) && !isTensor(right);
    if (scalars) {
      return super.tensorBinary(b, left, right);
    }
    if (left instanceof Val.Poison || right instanceof Val.Poison) {
      throw new Fault(b.span(), Fault.REPORTED);
    }
    if (!b.sign().equals("+")
        && !b.sign().equals("*")
        && !b.sign().equals("-")
        && !b.sign().equals("/")) {
      throw new Fault(b.span(), "'" + b.sign() + "' does not apply to tensors");
    }
    if (b.sign().equals("*") && (Scalars.isNumber(left) || Scalars.isNumber(right))) {
      Val number = Scalars.isNumber(left) ? left : right;
      Val other = Scalars.isNumber(left) ? right : left;
      return tensors
          .emit(
              b.span(),
              new Op.Scale(Scalars.real(b.span(), number)),
              List.of(tensors.tensor(b.span(), other)))
          .get(0);
    }
    Val.Tensor x = tensors.tensor(b.left().span(), left);
    Val.Tensor y = tensors.tensor(b.right().span(), right);
    if (!x.type().shape().equals(y.type().shape())) {
      throw new Fault(
          b.span(),
          "'"
              + b.sign()
              + "' needs equal shapes: "
              + x.type().shape()
              + " ("
              + tensors.origin(x)
              + ") and "
              + y.type().shape()
              + " ("
              + tensors.origin(y)
              + ")");
    }
    Op op =
        switch (b.sign()) {
          case "+" -> new Op.Add();
          case "-" -> new Op.Sub();
          case "*" -> new Op.Mul();
          default -> new Op.Div();
        };
    return tensors.emit(b.span(), op, List.of(x, y)).get(0);
  }

  private static boolean isTensor(Val v) {
    return v instanceof Val.Tensor
        || v instanceof Val.Weight
        || v instanceof Val.Absent
        || v instanceof Val.State;
  }

  // ---- what states and ops need
  // ---------------------------------------------------------------------------------------------

  /** Names that the graph reads of a step. */
  final void inputs(List<String> names) {
    inputs = names;
  }

  /** Kinds of layers, in the order of the spec. */
  final Iterable<Spec.Layer> layerKinds() {
    return layerKinds.values();
  }

  final Diagnostics diagnostics() {
    return diagnostics;
  }

  final TensorBuilder tensors() {
    return tensors;
  }

  final CompileOptions options() {
    return options;
  }

  final States states() {
    return states;
  }
}
