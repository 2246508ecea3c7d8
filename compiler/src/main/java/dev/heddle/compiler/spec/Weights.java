package dev.heddle.compiler.spec;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Finds every weight of a spec in a model and compares its dimensions. */
final class Weights {
  /** Of one tensor; the largest known has some 10^11. */
  private static final double MOST_VALUES = 1e15;

  private final Spec spec;
  private final Params params;
  private final WeightSource source;
  private final Diagnostics diagnostics;
  private final Map<String, Val> found = new HashMap<>();
  private final Map<String, Spec.Weight> declared = new LinkedHashMap<>();
  private final Map<String, Spec.Block> blocks = new LinkedHashMap<>();
  private final Map<String, long[]> ranges = new HashMap<>();
  private final Set<String> known = new HashSet<>();
  private final Set<String> absentBlocks = new HashSet<>();

  Weights(Spec spec, Params params, WeightSource source, Diagnostics diagnostics) {
    this.spec = spec;
    this.params = params;
    this.source = source;
    this.diagnostics = diagnostics;
    for (Spec.Weight w : spec.weights()) {
      declared.put(full(w), w);
      if (w.block() != null) {
        blocks.put(w.block().name(), w.block());
      }
    }
  }

  static String full(Spec.Weight w) {
    return w.block() == null ? w.name() : w.block().name() + "." + w.name();
  }

  /** Finds all weights: those outside blocks first, since blocks may stand in for them. */
  void resolveAll() {
    for (Spec.Weight w : spec.weights()) {
      if (w.block() == null) {
        resolve(w, -1, Map.of());
      }
    }
    for (Spec.Block block : blocks.values()) {
      resolveBlock(block);
    }
  }

  private void resolveBlock(Spec.Block block) {
    long from;
    long to;
    try {
      from = Scalars.integer(block.from().span(), params.eval(block.from(), Map.of()));
      to = Scalars.integer(block.to().span(), params.eval(block.to(), Map.of()));
    } catch (Fault f) {
      report(f);
      return;
    }
    if (from < 0 || to - from >= Params.LONGEST_ARRAY) {
      diagnostics.add(
          block.span(),
          "blocks "
              + from
              + " .. "
              + to
              + " are more than "
              + Params.LONGEST_ARRAY
              + " or start below 0");
      return;
    }
    ranges.put(block.name(), new long[] {from, to});
    for (long l = from; l <= to && !diagnostics.isFull(); l++) {
      String prefix = prefix(block, l);
      if (!source.hasPrefix(prefix)) {
        absentBlocks.add(prefix);
        diagnostics.add(
            block.span(),
            source.name()
                + " has no tensor of block "
                + l
                + " ('"
                + prefix
                + "*'), but its metadata says that it has blocks "
                + from
                + " .. "
                + to);
        return;
      }
      Map<String, Val> locals = Map.of(block.variable(), new Val.Int(l));
      for (Spec.Weight w : spec.weights()) {
        if (w.block() != null && w.block().name().equals(block.name())) {
          resolve(w, l, locals);
        }
      }
    }
  }

  static String prefix(Spec.Block block, long l) {
    return block.name() + "." + l + ".";
  }

  private static String key(String name, long l) {
    return l < 0 ? name : name + "#" + l;
  }

  private void report(Fault f) {
    if (!f.isReported()) {
      diagnostics.add(f.span(), f.getMessage());
    }
  }

  private void resolve(Spec.Weight w, long l, Map<String, Val> locals) {
    Val result;
    try {
      for (Expr condition : w.conditions()) {
        if (!Scalars.truth(condition.span(), params.eval(condition, locals))) {
          return;
        }
      }
      result = find(w, l, locals);
    } catch (Fault f) {
      report(f);
      result = new Val.Poison();
    }
    found.put(key(full(w), l), result);
  }

  private Val find(Spec.Weight w, long l, Map<String, Val> locals) {
    List<Long> shape = new ArrayList<>();
    for (Expr e : w.shape()) {
      long n = Scalars.integer(e.span(), params.eval(e, locals));
      if (n < 1) {
        throw new Fault(
            e.span(), "a dimension of '" + full(w) + "' is " + n + layer(l) + "; it is at least 1");
      }
      shape.add(n);
    }
    checkSize(w, shape);
    boolean skipTensors = source.prefersOther(w) && w.alternatives().getLast().weight() != null;
    List<String> tried = new ArrayList<>();
    Val result = null;
    for (int i = 0; i < w.alternatives().size(); i++) {
      Spec.Alternative a = w.alternatives().get(i);
      if (a.weight() != null) {
        if (result == null) {
          result = other(w, a, l);
        }
        continue;
      }
      String tensor = w.block() == null ? a.tensor() : prefix(w.block(), l) + a.tensor();
      tried.add(tensor);
      know(tensor);
      if (result == null && !skipTensors) {
        result =
            tensor(w, a, tensor, shape, i, l, locals)
                .map(r -> (Val) new Val.Weight(r))
                .orElse(null);
      }
    }
    if (result != null) {
      return result;
    }
    if (w.optional()) {
      return new Val.Absent(full(w), w.span());
    }
    throw new Fault(
        w.span(),
        source.name()
            + " has no tensor '"
            + String.join("' nor '", tried)
            + "', which this spec needs");
  }

  private static void checkSize(Spec.Weight w, List<Long> shape) {
    double values = shape.stream().mapToDouble(Long::doubleValue).reduce(1, (a, b) -> a * b);
    if (values > MOST_VALUES) {
      throw new Fault(
          w.span(),
          "'"
              + full(w)
              + "' would have "
              + w.shapeWritten()
              + " = "
              + shape
              + " values: no model has");
    }
  }

  private void know(String tensor) {
    known.add(tensor);
    known.addAll(WeightSource.scaleNames(tensor));
    String base =
        tensor.endsWith(".weight")
            ? tensor.substring(0, tensor.length() - ".weight".length())
            : tensor;
    known.add(base + ".input_scale");
    known.add(tensor + ".input_scale");
  }

  private static String layer(long l) {
    return l < 0 ? "" : " in block " + l;
  }

  private Val other(Spec.Weight w, Spec.Alternative a, long l) {
    String blockName = w.block() == null ? a.weight() : w.block().name() + "." + a.weight();
    Val v = found.getOrDefault(key(blockName, l), found.get(a.weight()));
    if (v == null) {
      throw new Fault(
          a.span(),
          "there is no weight '"
              + a.weight()
              + "' above this line"
              + Names.suggestion(a.weight(), declared.keySet()));
    }
    return v;
  }

  private Optional<ResolvedWeight> tensor(
      Spec.Weight w,
      Spec.Alternative a,
      String tensor,
      List<Long> shape,
      int ordinal,
      long l,
      Map<String, Val> locals) {
    Optional<ModelFacts.Tensor> fact = source.tensor(w, tensor, shape, ordinal);
    if (fact.isEmpty()) {
      return Optional.empty();
    }
    List<Long> ne = fact.get().ne();
    long from = 0;
    long to = -1;
    if (a.from() != null) {
      from = Scalars.integer(a.from().span(), params.eval(a.from(), locals));
      to = Scalars.integer(a.to().span(), params.eval(a.to(), locals));
      checkRows(w, a, tensor, shape, ne, from, to, l);
    } else if (!squeezed(ne).equals(squeezed(shape))) {
      throw new Fault(
          w.span(),
          "'"
              + tensor
              + "' is "
              + ne
              + " in "
              + source.name()
              + ", this spec needs "
              + w.shapeWritten()
              + " = "
              + shape);
    }
    return Optional.of(
        new ResolvedWeight(
            full(w),
            w.span(),
            tensor,
            fact.get().type(),
            ne,
            from,
            to,
            shape,
            source.scale(tensor)));
  }

  private void checkRows(
      Spec.Weight w,
      Spec.Alternative a,
      String tensor,
      List<Long> shape,
      List<Long> ne,
      long from,
      long to,
      long l) {
    int dim = shape.size() == 1 ? 0 : 1;
    if (from < 0 || to <= from || to - from != shape.get(dim)) {
      throw new Fault(
          a.span(),
          "rows "
              + from
              + " .. "
              + to
              + layer(l)
              + " are not the "
              + shape.get(dim)
              + " rows of "
              + w.shapeWritten());
    }
    boolean fits = ne.size() == shape.size();
    for (int i = 0; fits && i < shape.size(); i++) {
      fits = i == dim ? ne.get(i) >= to : ne.get(i).equals(shape.get(i));
    }
    if (!fits) {
      throw new Fault(
          w.span(),
          "'"
              + tensor
              + "' is "
              + ne
              + " in "
              + source.name()
              + ", this spec needs rows "
              + from
              + " .. "
              + to
              + " of it as "
              + w.shapeWritten()
              + " = "
              + shape);
    }
  }

  /** Dimensions of 1 say nothing: [c, 1, n] and [c, n] are the same values. */
  private static List<Long> squeezed(List<Long> ne) {
    return ne.stream().filter(n -> n != 1).toList();
  }

  /**
   * The weight with this full name ("blk.q"), of block l; null if the spec declares none such, or
   * none for this l.
   */
  Val get(String name, long l) {
    return found.get(key(name, blockOf(name) == null ? -1 : l));
  }

  private Spec.Block blockOf(String name) {
    Spec.Weight w = declared.get(name);
    return w == null ? null : w.block();
  }

  Spec.Weight declaration(String name) {
    return declared.get(name);
  }

  boolean isBlock(String name) {
    return blocks.containsKey(name);
  }

  Spec.Block block(String name) {
    return blocks.get(name);
  }

  /** Names of the weights of a block, or of those outside blocks (null). */
  List<String> names(String block) {
    return spec.weights().stream()
        .filter(w ->
            block == null ? w.block() == null : w.block() != null && w.block().name().equals(block))
        .map(Spec.Weight::name)
        .toList();
  }

  WeightSource source() {
    return source;
  }

  /** Tensor names that some weight of this model may have. */
  Set<String> known() {
    return known;
  }

  Map<String, Spec.Block> blocks() {
    return blocks;
  }

  /** First and last index of a block. */
  long[] range(String block) {
    return ranges.get(block);
  }

  /** The dimensions and type of a scale tensor. */
  ModelFacts.Tensor scaleFact(String tensor) {
    return ((WeightSource.FromFile) source).facts().tensor(tensor).orElseThrow();
  }
}
