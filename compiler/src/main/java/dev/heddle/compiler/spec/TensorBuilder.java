package dev.heddle.compiler.spec;

import dev.heddle.ir.Dim;
import dev.heddle.ir.GraphBuilder;
import dev.heddle.ir.GraphException;
import dev.heddle.ir.Op;
import dev.heddle.ir.Source;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Adds nodes to a graph for calls at known places; keeps which tensors of the model are read. */
final class TensorBuilder {
  private static final Set<String> DIMS = Set.of("T", "S", "C", "R");

  private final String file;
  private final Weights weights;
  private final GraphBuilder builder = new GraphBuilder();
  private final Map<String, ModelGraph.WeightUse> used = new LinkedHashMap<>();
  private final Map<List<Object>, Val.Tensor> shared = new HashMap<>();
  private long layer = -1;
  private String role = "";
  private Source caller;

  TensorBuilder(String file, Weights weights) {
    this.file = file;
    this.weights = weights;
  }

  GraphBuilder graph() {
    return builder;
  }

  List<ModelGraph.WeightUse> used() {
    return List.copyOf(used.values());
  }

  /** The layer of the nodes to come, -1 outside layers. */
  long layer() {
    return layer;
  }

  void enterLayer(long l) {
    layer = l;
    caller = null;
  }

  String role() {
    return role;
  }

  Source caller() {
    return caller;
  }

  /** Role and caller of the nodes to come. */
  void within(String newRole, Source newCaller) {
    role = newRole;
    caller = newCaller;
  }

  /** What a step brings, as a tensor. */
  Val.Tensor input(Span span, Op.InputKind kind) {
    place(span);
    Value v = builder.input(kind);
    return new Val.Tensor(v, builder.type(v), span);
  }

  /** Where a tensor came from, for messages. */
  String origin(Val.Tensor t) {
    if (builder.node(t.value()).op() instanceof Op.Weight w) {
      return "from '" + w.tensor() + "', line " + t.made().line();
    }
    return "from line " + t.made().line();
  }

  /** A tensor; weights become nodes here. */
  Val.Tensor tensor(Span span, Val v) {
    return switch (v) {
      case Val.Tensor t -> t;
      case Val.Weight w -> weight(span, w.weight());
      case Val.State s -> s.tensor();
      case Val.Absent a ->
          throw new Fault(
              span,
              "'"
                  + a.name()
                  + "' is optional (line "
                  + a.declared().line()
                  + ") and "
                  + weights.source().name()
                  + " does not have it: guard its use with present("
                  + a.name()
                  + ") ? .. : ..");
      case Val.Poison p -> throw new Fault(span, Fault.REPORTED);
      default -> throw new Fault(span, "a tensor is needed here, not " + v.kind());
    };
  }

  private Val.Tensor weight(Span span, ResolvedWeight w) {
    if (!w.isWhole() && w.shape().size() > 2) {
      throw new Fault(
          span,
          "'"
              + w.name()
              + "' is a row range of the experts of '"
              + w.tensor()
              + "': only matmul_id reads it");
    }
    return weightNode(span, w, w.rowFrom(), w.rowTo(), w.type());
  }

  /** Adds a weight's node and notes the tensor as used. */
  Val.Tensor weightNode(Span span, ResolvedWeight w, long from, long to, TensorType type) {
    place(span);
    try {
      Value v = builder.weight(w.tensor(), from, to, type);
      used.putIfAbsent(w.tensor(), new ModelGraph.WeightUse(w.tensor(), w.stored(), w.ne()));
      return new Val.Tensor(v, type, w.declared());
    } catch (GraphException e) {
      throw new Fault(span, e.getMessage());
    }
  }

  /** The scale tensor of a weight's products. */
  Val.Tensor scaleNode(Span span, ResolvedWeight w) {
    ModelFacts.Tensor fact = weights.scaleFact(w.scale());
    long experts = w.ne().size() == 3 ? w.ne().get(2) : 1;
    boolean fits = fact.ne().equals(List.of(1L)) || fact.ne().equals(List.of(experts));
    if (!fits) {
      String wanted =
          experts == 1 ? "one value" : "one value, or one for each of " + experts + " experts";
      throw new Fault(
          w.declared(),
          "'"
              + w.scale()
              + "' has shape "
              + fact.ne()
              + "; the scale of '"
              + w.tensor()
              + "' is "
              + wanted);
    }
    ResolvedWeight scale =
        new ResolvedWeight(
            w.name() + ".scale",
            w.declared(),
            w.scale(),
            fact.type(),
            fact.ne(),
            0,
            -1,
            fact.ne(),
            null);
    return weightNode(span, scale, 0, -1, scale.type());
  }

  /** Adds a node; a mismatch is a fault at the call with where its inputs came from. */
  List<Val.Tensor> emit(Span span, Op op, List<Val.Tensor> inputs) {
    place(span);
    try {
      List<Value> values = builder.addAll(op, inputs.stream().map(Val.Tensor::value).toList());
      return values.stream().map(v -> new Val.Tensor(v, builder.type(v), span)).toList();
    } catch (GraphException e) {
      throw new Fault(span, withOrigins(e.getMessage(), inputs));
    } catch (ArithmeticException e) {
      throw new Fault(
          span, "'" + op.text() + "' has dimensions whose product does not fit 64 bits");
    } catch (IllegalStateException e) {
      // A symbol (T, C) stands where the op needs a number.
      throw new Fault(
          span,
          "'" + op.text() + "' needs a number where its input has a symbol: " + e.getMessage());
    }
  }

  /**
   * A sentence on shapes with where each came from: behind the shape if the sentence shows it, else
   * at the end.
   */
  private String withOrigins(String sentence, List<Val.Tensor> inputs) {
    StringBuilder text = new StringBuilder(sentence);
    StringBuilder rest = new StringBuilder();
    Set<String> done = new HashSet<>();
    for (Val.Tensor t : inputs) {
      String origin = " (" + origin(t) + ")";
      String shown =
          text.indexOf(t.type().toString()) >= 0
              ? t.type().toString()
              : t.type().shape().toString();
      int at = text.indexOf(shown);
      if (at >= 0 && done.add(shown)) {
        text.insert(at + shown.length(), origin);
      } else if (done.add(t.type() + origin)) {
        rest.append(rest.isEmpty() ? "; " : ", ").append(t.type()).append(origin);
      }
    }
    return text.append(rest).toString();
  }

  /** As {@link #emit} for one result; with {@code share} an equal node made before is taken. */
  Val.Tensor sharedEmit(Span span, Op op, List<Val.Tensor> inputs, boolean share) {
    if (!share) {
      return emit(span, op, inputs).get(0);
    }
    List<Object> key = new ArrayList<>(List.of(op));
    inputs.forEach(i -> key.add(i.value()));
    Val.Tensor known = shared.get(key);
    if (known == null) {
      known = emit(span, op, inputs).get(0);
      shared.put(key, known);
    }
    return known;
  }

  /** Sets layer, role and source of the next node. */
  void place(Span span) {
    builder.at((int) layer, role, source(span));
  }

  Source source(Span span) {
    return new Source(file, span.line(), span.column(), caller);
  }

  /** A dimension of a shape that a spec writes. */
  Dim dim(Span span, Val v) {
    if (v instanceof Val.Word w && DIMS.contains(w.word())) {
      return new Dim.Sym(w.word());
    }
    long n = Scalars.integer(span, v);
    if (n < 1) {
      throw new Fault(span, "a dimension is at least 1, not " + n);
    }
    return Dim.of(n);
  }
}
