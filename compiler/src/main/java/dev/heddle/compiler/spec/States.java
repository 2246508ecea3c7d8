package dev.heddle.compiler.spec;

import dev.heddle.ir.DType;
import dev.heddle.ir.Dim;
import dev.heddle.ir.GraphBuilder;
import dev.heddle.ir.Layout;
import dev.heddle.ir.Op;
import dev.heddle.ir.Shape;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.Value;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The states of a graph being built: their first versions, and who wrote them last. */
final class States {
  private final Inliner inliner;
  private final Map<String, Spec.State> declared = new LinkedHashMap<>();
  private final Map<String, ModelGraph.StateUse> used = new LinkedHashMap<>();
  private final Map<String, Val.Tensor> first = new LinkedHashMap<>();
  private final Map<Value, String> versions = new LinkedHashMap<>();
  private final Map<String, Val.Tensor> last = new LinkedHashMap<>();

  States(Spec spec, Inliner inliner) {
    this.inliner = inliner;
    spec.states().forEach(s -> declared.put(s.name(), s));
  }

  boolean has(String name) {
    return declared.containsKey(name);
  }

  Set<String> names() {
    return declared.keySet();
  }

  List<ModelGraph.StateUse> used() {
    return List.copyOf(used.values());
  }

  /** A state's version at the start of the step: {@code kc(l)}. */
  Val.State read(Expr.Call c, List<Val> arguments) {
    Spec.State s = declared.get(c.name());
    if (arguments.size() != 1) {
      throw new Fault(c.span(), "'" + c.name() + "' is a state of a layer: " + c.name() + "(l)");
    }
    long l = Scalars.integer(c.arguments().get(0).span(), arguments.get(0));
    if (l < 0 || l > Params.LONGEST_ARRAY) {
      throw new Fault(c.span(), "there is no layer " + l);
    }
    Map<String, Val> locals = Map.of(s.variable(), new Val.Int(l));
    if (s.when() != null && !Scalars.truth(s.when().span(), inliner.eval(s.when(), locals))) {
      throw new Fault(
          c.span(),
          "state '"
              + s.name()
              + "' does not exist in layer "
              + l
              + ": its 'when' on line "
              + s.when().span().line()
              + " does not hold there");
    }
    String name = s.name() + "." + l;
    Val.Tensor tensor = first.get(name);
    if (tensor == null) {
      tensor = create(c.span(), s, name, (int) l, locals);
      first.put(name, tensor);
      versions.put(tensor.value(), name);
    }
    return new Val.State(name, tensor);
  }

  private Val.Tensor create(Span span, Spec.State s, String name, int l, Map<String, Val> locals) {
    List<Dim> dims = new ArrayList<>();
    for (Expr e : s.shape()) {
      dims.add(inliner.tensors().dim(e.span(), inliner.eval(e, locals)));
    }
    TensorType type = new TensorType(element(s), new Shape(dims), Layout.ROWS);
    Op.Rollback rollback = rollback(s);
    inliner.tensors().place(span);
    Value v = inliner.tensors().graph().state(name, rollback, type);
    used.put(name, new ModelGraph.StateUse(name, l, rollback, type));
    return new Val.Tensor(v, type, s.span());
  }

  private DType element(Spec.State s) {
    if (s.element().equals("kv")) {
      return inliner.options().kvType();
    }
    return DType.ofText(s.element())
        .orElseThrow(() ->
            new Fault(
                s.span(),
                "a state's element type is 'kv' or a type such as f32, not '" + s.element() + "'"));
  }

  private static Op.Rollback rollback(Spec.State s) {
    for (Op.Rollback r : Op.Rollback.values()) {
      if (r.name().toLowerCase(Locale.ROOT).equals(s.rollback())) {
        return r;
      }
    }
    throw new Fault(
        s.span(),
        "a state's rollback class is append, window or snapshot, not '"
            + s.rollback()
            + "'"
            + Names.suggestion(s.rollback(), List.of("append", "window", "snapshot")));
  }

  /**
   * Notes that {@code after} is the version that follows {@code before}; a version is written once.
   */
  void written(Span span, Val.Tensor before, Val.Tensor after) {
    String name = versions.get(before.value());
    if (name == null) {
      throw new Fault(span, "'kv_append' appends to a state, as in kv_append(kc(l), k, pos)");
    }
    Val.Tensor current = last.get(name);
    if (current != null && !current.value().equals(before.value())) {
      throw new Fault(
          span,
          "state '"
              + name
              + "' was appended to on line "
              + current.made().line()
              + " already: append to that result");
    }
    versions.put(after.value(), name);
    last.put(name, after);
  }

  /** Names the last version of every state as an output. */
  void outputs(GraphBuilder builder) {
    last.forEach((name, tensor) -> builder.output("state:" + name, tensor.value()));
  }
}
