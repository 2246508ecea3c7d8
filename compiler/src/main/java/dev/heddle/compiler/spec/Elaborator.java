package dev.heddle.compiler.spec;

import dev.heddle.ir.Graph;
import dev.heddle.ir.GraphException;
import dev.heddle.ir.Op;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Runs a graph of a spec: its statements, its stack of layers, its captures and outputs. */
final class Elaborator extends Inliner {
  private final Spec spec;
  private final Set<String> captured = new LinkedHashSet<>();
  private int layers;

  Elaborator(
      Spec spec, Params params, Weights weights, CompileOptions options, Diagnostics diagnostics) {
    super(spec, params, weights, options, diagnostics);
    this.spec = spec;
  }

  /** The graph with this name; faults are left in the diagnostics(). */
  Graph graph(Spec.GraphDef def) {
    inputs(def.inputs());
    for (String input : def.inputs()) {
      if (inputKind(input) == null) {
        diagnostics()
            .add(def.span(), "a graph reads ids, pos, seq and out_rows, not '" + input + "'");
      }
    }
    Map<String, Val> locals = new HashMap<>();
    for (Spec.Statement s : def.body().statements()) {
      try {
        graphStatement(def, s, locals);
      } catch (Fault f) {
        report(f);
        poison(s, locals);
      }
    }
    if (def.body().statements().stream().noneMatch(s -> s instanceof Spec.Statement.Return)) {
      diagnostics()
          .add(
              def.span(),
              "graph '" + def.name() + "' returns nothing: end it with 'return logits = ..'");
    }
    checkCaptures(def);
    states().outputs(tensors().graph());
    return tensors().graph().build(def.name());
  }

  private void graphStatement(Spec.GraphDef def, Spec.Statement s, Map<String, Val> locals) {
    switch (s) {
      case Spec.Statement.Assign a -> assign(a, locals);
      case Spec.Statement.Return r -> {
        Val.Tensor result = tensors().tensor(r.value().span(), eval(r.value(), locals));
        output(r.output() == null ? "logits" : r.output(), result, r.span());
      }
      case Spec.Statement.Capture c -> {
        if (c.value() != null && options().captures().contains(c.name())) {
          capture(c.span(), c.name(), tensors().tensor(c.value().span(), eval(c.value(), locals)));
        }
      }
    }
  }

  private void output(String name, Val.Tensor value, Span span) {
    try {
      tensors().graph().output(name, value.value());
    } catch (GraphException e) {
      throw new Fault(span, e.getMessage());
    }
  }

  private Val.Tensor capture(Span span, String name, Val.Tensor value) {
    Val.Tensor marked = tensors().emit(span, new Op.Capture(name), List.of(value)).get(0);
    output(name, marked, span);
    captured.add(name);
    return marked;
  }

  private void checkCaptures(Spec.GraphDef def) {
    List<Spec.Statement.Capture> known =
        def.body().statements().stream()
            .filter(s -> s instanceof Spec.Statement.Capture)
            .map(s -> (Spec.Statement.Capture) s)
            .toList();
    for (String wanted : options().captures()) {
      boolean seen =
          captured.contains(wanted) || captured.stream().anyMatch(c -> c.startsWith(wanted + "["));
      if (!seen && diagnostics().isEmpty()) {
        List<String> names =
            known.stream().map(c -> c.value() == null ? c.name() + "[0]" : c.name()).toList();
        diagnostics()
            .add(
                def.span(),
                "graph '"
                    + def.name()
                    + "' has no capture '"
                    + wanted
                    + "': it has "
                    + names
                    + Names.suggestion(wanted, names));
      }
    }
  }

  @Override
  protected Val stack(Expr.Stack s, Map<String, Val> locals) {
    if (tensors().layer() >= 0) {
      throw new Fault(s.span(), "'stack' stands in a graph only");
    }
    Val.Tensor x = tensors().tensor(s.start().span(), eval(s.start(), locals));
    long from = Scalars.integer(s.from().span(), eval(s.from(), locals));
    long to = Scalars.integer(s.to().span(), eval(s.to(), locals));
    if (from < 0 || to < from || to - from >= Params.LONGEST_ARRAY) {
      throw new Fault(
          s.span(),
          "layers " + from + " .. " + to + " are none or more than " + Params.LONGEST_ARRAY);
    }
    List<String> names = stackCaptures();
    boolean faults = false;
    for (long l = from; l <= to && !diagnostics().isFull(); l++) {
      tensors().enterLayer(l);
      try {
        x = layer(s, x);
        for (String name : names) {
          String numbered = name + "[" + l + "]";
          if (options().captures().contains(name) || options().captures().contains(numbered)) {
            x = capture(s.span(), numbered, x);
          }
        }
      } catch (Fault f) {
        report(f);
        faults = true;
      } finally {
        tensors().enterLayer(-1);
      }
    }
    layers = Math.toIntExact(to - from + 1);
    if (faults) {
      throw new Fault(s.span(), Fault.REPORTED);
    }
    return x;
  }

  private List<String> stackCaptures() {
    List<String> names = new ArrayList<>();
    for (Spec.GraphDef g : spec.graphs()) {
      for (Spec.Statement s : g.body().statements()) {
        if (s instanceof Spec.Statement.Capture c
            && c.value() == null
            && !names.contains(c.name())) {
          names.add(c.name());
        }
      }
    }
    return names;
  }

  private Val.Tensor layer(Expr.Stack s, Val.Tensor x) {
    for (Spec.Layer kind : layerKinds()) {
      if (kind.when() == null || Scalars.truth(kind.when().span(), eval(kind.when(), Map.of()))) {
        Map<String, Val> locals = new HashMap<>();
        if (kind.parameters().size() != 2) {
          throw new Fault(
              kind.span(),
              "a layer takes its number and its input: layer " + kind.name() + "(l, x)");
        }
        locals.put(kind.parameters().get(0), new Val.Int(tensors().layer()));
        locals.put(kind.parameters().get(1), x);
        Val.Tensor y =
            tensors().tensor(kind.span(), run(kind.name(), s.span(), kind.body(), locals));
        if (!y.type().equals(x.type())) {
          throw new Fault(
              kind.span(),
              "a layer gives what it takes: '"
                  + kind.name()
                  + "' takes "
                  + x.type().shape()
                  + " and gives "
                  + y.type().shape()
                  + " in layer "
                  + tensors().layer());
        }
        return y;
      }
    }
    throw new Fault(
        s.span(),
        "no layer kind is meant for layer " + tensors().layer() + ": add one with 'otherwise'");
  }

  /** Number of layers of the stack. */
  int layers() {
    return layers;
  }
}
