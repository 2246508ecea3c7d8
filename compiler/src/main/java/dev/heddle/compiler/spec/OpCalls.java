package dev.heddle.compiler.spec;

import dev.heddle.ir.Dim;
import dev.heddle.ir.Op;
import dev.heddle.ir.Shape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The op vocabulary as a spec calls it: names of arguments and attributes, and how each call
 * becomes a node.
 */
final class OpCalls {
  /**
   * Weight of a router's chosen experts is not divided by less than the smallest normal half;
   * llama.cpp clamps there.
   */
  private static final double FLOOR = 0x1p-14;

  private record Signature(
      List<String> positional, List<String> attributes, Function<OpArguments, Val> build) {
    List<String> all() {
      List<String> list = new ArrayList<>(positional);
      list.addAll(attributes);
      return list;
    }
  }

  private final Inliner inliner;
  private final Map<String, Signature> signatures = new LinkedHashMap<>();

  OpCalls(Inliner inliner) {
    this.inliner = inliner;
    gathersAndProducts();
    elementwise();
    normsAndAttention();
    routing();
    layout();
  }

  boolean has(String name) {
    return signatures.containsKey(name);
  }

  Set<String> names() {
    return signatures.keySet();
  }

  private void op(
      String name, String positional, String attributes, Function<OpArguments, Val> build) {
    signatures.put(name, new Signature(words(positional), words(attributes), build));
  }

  private static List<String> words(String text) {
    return text.isEmpty() ? List.of() : List.of(text.split(" "));
  }

  Val call(Expr.Call c, List<Val> values) {
    Signature s = signatures.get(c.name());
    Map<String, OpArguments.Given> given = new LinkedHashMap<>();
    int position = 0;
    for (int i = 0; i < values.size(); i++) {
      Expr.Argument a = c.arguments().get(i);
      String name =
          a.name() != null
              ? a.name()
              : position < s.positional().size() ? s.positional().get(position++) : null;
      if (name == null) {
        throw new Fault(
            a.span(),
            "'"
                + c.name()
                + "' takes "
                + s.positional().size()
                + " values ("
                + String.join(", ", s.positional())
                + "); attributes are named");
      }
      if (!s.all().contains(name)) {
        String has = s.all().isEmpty() ? "none" : String.join(", ", s.all());
        throw new Fault(
            a.span(),
            "'"
                + c.name()
                + "' has no attribute '"
                + name
                + "'"
                + (Names.suggestion(name, s.all()).isEmpty()
                    ? ": it has " + has
                    : Names.suggestion(name, s.all())));
      }
      if (given.put(name, new OpArguments.Given(a.value().span(), values.get(i))) != null) {
        throw new Fault(a.span(), "'" + c.name() + "' is given '" + name + "' twice");
      }
    }
    return s.build().apply(new OpArguments(inliner.tensors(), c, given));
  }

  private void gathersAndProducts() {
    op(
        "embed",
        "w ids",
        "scale",
        a -> a.emit(new Op.Embed(a.number("scale", 1)), a.tensor("w"), a.tensor("ids")));
    op("get_rows", "x idx", "", a -> a.emit(new Op.GetRows(), a.tensor("x"), a.tensor("idx")));
    op("take_rows", "x rows", "", a -> a.emit(new Op.TakeRows(), a.tensor("x"), a.tensor("rows")));
    op("matmul", "w x", "bias scale", Products::matmul);
    op("matmul_id", "w x ids", "bias scale", Products::matmulId);
    op(
        "matmul_grouped",
        "w x",
        "",
        a -> a.emit(new Op.MatmulGrouped(), a.tensor("w"), a.tensor("x")));
  }

  private void elementwise() {
    op("add", "x y", "", a -> a.emit(new Op.Add(), a.tensor("x"), a.tensor("y")));
    op("sub", "x y", "", a -> a.emit(new Op.Sub(), a.tensor("x"), a.tensor("y")));
    op("mul", "x y", "", a -> a.emit(new Op.Mul(), a.tensor("x"), a.tensor("y")));
    op("div", "x y", "", a -> a.emit(new Op.Div(), a.tensor("x"), a.tensor("y")));
    op("scale", "x c", "", a -> a.emit(new Op.Scale(a.number("c")), a.tensor("x")));
    op(
        "clamp",
        "x",
        "min max",
        a ->
            a.emit(
                new Op.Clamp(
                    a.number("min", Double.NEGATIVE_INFINITY),
                    a.number("max", Double.POSITIVE_INFINITY)),
                a.tensor("x")));
    op("softcap", "x c", "", a -> a.emit(new Op.Softcap(a.number("c")), a.tensor("x")));
    one("neg", new Op.Neg());
    one("abs", new Op.Abs());
    one("exp", new Op.Exp());
    one("sqrt", new Op.Sqrt());
    one("tanh", new Op.Tanh());
    one("relu", new Op.Relu());
    one("sigmoid", new Op.Sigmoid());
    one("silu", new Op.Silu());
    one("gelu_tanh", new Op.GeluTanh());
    one("gelu_erf", new Op.GeluErf());
    one("softplus", new Op.Softplus());
    op(
        "glu",
        "gate up",
        "act",
        a -> {
          Op.Act act = a.choice("act", Op.Act.class, null);
          if (a.has("up")) {
            return a.emit(new Op.Glu(act), a.tensor("gate"), a.tensor("up"));
          }
          // One tensor holds both halves, the gate's first.
          long m = a.lastDim("gate") / 2;
          Val.Tensor both = a.tensor("gate");
          return a.emit(
              new Op.Glu(act),
              a.emit(new Op.Slice(-1, 0, m), both),
              a.emit(new Op.Slice(-1, m, 2 * m), both));
        });
  }

  private void one(String name, Op op) {
    op(name, "x", "", a -> a.emit(op, a.tensor("x")));
  }

  private void normsAndAttention() {
    op(
        "rms_norm",
        "x w",
        "eps",
        a ->
            a.has("w")
                ? a.emit(new Op.RmsNorm(a.number("eps"), true), a.tensor("x"), a.tensor("w"))
                : a.emit(new Op.RmsNorm(a.number("eps"), false), a.tensor("x")));
    op("l2_norm", "x", "eps", a -> a.emit(new Op.L2Norm(a.number("eps")), a.tensor("x")));
    op(
        "rope",
        "x pos",
        "kind dims base scaling sections factors",
        a -> {
          Op.Rope rope =
              new Op.Rope(
                  a.choice("kind", Op.RopeKind.class, null),
                  a.integer("dims"),
                  a.number("base"),
                  a.scaling("scaling").scaling(),
                  a.integers("sections"),
                  a.has("factors"));
          return a.has("factors")
              ? a.emit(rope, a.tensor("x"), a.tensor("pos"), a.tensor("factors"))
              : a.emit(rope, a.tensor("x"), a.tensor("pos"));
        });
    op(
        "kv_append",
        "state row pos",
        "",
        a -> {
          Val.Tensor before = a.tensor("state");
          Val.Tensor pos = a.has("pos") ? a.tensor("pos") : a.pos();
          Val.Tensor after = a.emit(new Op.KvAppend(), before, a.tensor("row"), pos);
          inliner.states().written(a.span(), before, after);
          return after;
        });
    op(
        "attention",
        "q k v pos",
        "scale",
        a -> {
          Val.Tensor pos = a.has("pos") ? a.tensor("pos") : a.pos();
          return a.emit(
              new Op.Attention(a.number("scale")),
              a.tensor("q"),
              a.tensor("k"),
              a.tensor("v"),
              pos);
        });
  }

  private void routing() {
    op(
        "router",
        "logits",
        "score k floor scale bias weights",
        a -> {
          if (a.has("weights") && !a.word("weights").equals("chosen_score")) {
            throw a.fault(
                "weights", "'router' gives chosen_score weights only, not " + a.word("weights"));
          }
          double floor = a.isGiven("floor") ? a.number("floor", 0) : FLOOR;
          Op.Router router =
              new Op.Router(
                  a.choice("score", Op.Score.class, null),
                  a.integer("k"),
                  floor,
                  a.number("scale", 1),
                  a.has("bias"));
          List<Val.Tensor> inputs =
              a.has("bias")
                  ? List.of(a.tensor("logits"), a.tensor("bias"))
                  : List.of(a.tensor("logits"));
          return new Val.Tuple(List.copyOf(a.emitAll(router, inputs)));
        });
    op(
        "combine",
        "y w",
        "shared gate residual",
        a -> {
          List<Val.Tensor> inputs = new ArrayList<>(List.of(a.tensor("y"), a.tensor("w")));
          for (String optional : List.of("shared", "gate", "residual")) {
            if (a.has(optional)) {
              inputs.add(a.tensor(optional));
            }
          }
          return a.emitAll(
                  new Op.Combine(a.has("shared"), a.has("gate"), a.has("residual")), inputs)
              .get(0);
        });
    op("top_k", "x", "k", a -> a.emit(new Op.TopK(a.integer("k")), a.tensor("x")));
    op("argmax", "x", "", a -> a.emit(new Op.Argmax(), a.tensor("x")));
    reduction("softmax", new Op.Softmax());
    reduction("sum", new Op.Sum());
    reduction("max", new Op.Max());
    reduction("mean", new Op.Mean());
  }

  private void reduction(String name, Op op) {
    op(
        name,
        "x",
        "dim",
        a -> {
          if (a.has("dim") && a.dimension("dim") != -1) {
            throw a.fault("dim", "'" + name + "' works along the last dimension only");
          }
          return a.emit(op, a.tensor("x"));
        });
  }

  private void layout() {
    op(
        "reshape",
        "x shape",
        "",
        a -> {
          List<Dim> dims = new ArrayList<>();
          for (Val v : a.items("shape")) {
            dims.add(inliner.tensors().dim(a.at("shape"), v));
          }
          return a.emit(new Op.Reshape(new Shape(dims)), a.tensor("x"));
        });
    op(
        "slice",
        "x from to",
        "dim",
        a ->
            a.emit(
                new Op.Slice(a.dimension("dim"), a.integer("from"), a.integer("to")),
                a.tensor("x")));
    op(
        "split",
        "x sizes",
        "dim",
        a -> {
          List<Val> parts = new ArrayList<>();
          int dim = a.dimension("dim");
          long from = 0;
          List<Integer> sizes = a.integers("sizes");
          long total = sizes.stream().mapToLong(Integer::longValue).sum();
          if (a.has("dim") ? false : total != a.lastDim("x")) {
            throw a.fault(
                "sizes",
                "'split' cuts "
                    + a.lastDim("x")
                    + " values into "
                    + sizes
                    + ", which are "
                    + total);
          }
          for (int size : sizes) {
            parts.add(a.emit(new Op.Slice(dim, from, from + size), a.tensor("x")));
            from += size;
          }
          return new Val.Tuple(parts);
        });
    op(
        "concat",
        "xs",
        "dim",
        a -> {
          List<Val.Tensor> parts = new ArrayList<>();
          for (Val v : a.items("xs")) {
            parts.add(inliner.tensors().tensor(a.at("xs"), v));
          }
          return a.emitAll(new Op.Concat(a.dimension("dim")), parts).get(0);
        });
  }
}
