package dev.heddle.compiler.spec;

import dev.heddle.ir.Dim;
import dev.heddle.ir.Graph;
import dev.heddle.ir.TensorType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** From a spec and the facts of one model to its graph. */
public final class SpecCompiler {
  private SpecCompiler() {}

  /**
   * Elaborates a spec for a model file.
   *
   * @throws SpecException if the spec has faults or the file does not fit it
   */
  public static ModelGraph compile(Spec spec, ModelFacts facts, CompileOptions options) {
    Diagnostics diagnostics = new Diagnostics(spec.file(), spec.text());
    String architecture = facts.metadata("general.architecture").map(Object::toString).orElse("");
    if (!architecture.equals(spec.model())) {
      throw new SpecException(
          facts.name()
              + ": general.architecture is '"
              + architecture
              + "', but "
              + spec.file()
              + " describes '"
              + spec.model()
              + "'");
    }
    Params params = new Params(spec, new FileSource(spec.model(), facts), diagnostics);
    params.resolveAll();
    diagnostics.throwIfAny();
    Weights weights = new Weights(spec, params, new WeightSource.FromFile(facts), diagnostics);
    weights.resolveAll();
    List<String> warnings = new UnknownTensors(spec, weights, facts, diagnostics).check();
    return graph(spec, facts.name(), params, weights, options, diagnostics, Map.of(), warnings);
  }

  /**
   * Elaborates a spec for one of its configs.
   *
   * @param config the config's name, in any case
   * @param recipe types of the tensors
   * @throws SpecException if there is no such config or the spec has faults
   */
  public static ModelGraph compile(
      Spec spec, String config, TypeRecipe recipe, CompileOptions options) {
    Spec.Config found =
        spec.config(config)
            .orElseThrow(() -> {
              List<String> names = spec.configs().stream().map(Spec.Config::name).toList();
              return new SpecException(
                  spec.file()
                      + " has no config '"
                      + config
                      + "'"
                      + Names.suggestion(config, names)
                      + ": it has "
                      + (names.isEmpty() ? "none" : String.join(", ", names)));
            });
    Diagnostics diagnostics = new Diagnostics(spec.file(), spec.text());
    Params params =
        new Params(spec, new ConfigSource(spec, found, options.overrides()), diagnostics);
    for (Spec.Setting s : found.settings()) {
      if (!params.has(s.name())) {
        diagnostics.add(
            s.span(),
            "there is no parameter '"
                + s.name()
                + "'"
                + Names.suggestion(s.name(), params.names()));
      }
    }
    checkWith(spec, found, diagnostics);
    params.resolveAll();
    diagnostics.throwIfAny();
    int layers = layerCount(spec, params);
    Weights weights =
        new Weights(spec, params, new WeightSource.FromConfig(found, recipe, layers), diagnostics);
    weights.resolveAll();
    diagnostics.throwIfAny();
    Map<String, float[]> contents =
        new RopeFactors(spec, params, weights, diagnostics).contents(found);
    return graph(spec, found.name(), params, weights, options, diagnostics, contents, List.of());
  }

  private static void checkWith(Spec spec, Spec.Config config, Diagnostics diagnostics) {
    List<String> names = new ArrayList<>();
    for (Spec.Weight w : spec.weights()) {
      names.add(w.name());
      names.add(Weights.full(w));
    }
    for (Spec.With with : config.with()) {
      if (!names.contains(with.weight())) {
        diagnostics.add(
            with.span(),
            "there is no weight '" + with.weight() + "'" + Names.suggestion(with.weight(), names));
      }
    }
  }

  private static int layerCount(Spec spec, Params params) {
    for (Spec.Param p : spec.params()) {
      if (p.value() instanceof Expr.Text t
          && t.value().equals("block_count")
          && params.get(p.name()) instanceof Val.Int i) {
        return (int) Math.min(i.value(), Params.LONGEST_ARRAY);
      }
    }
    return 0;
  }

  private static ModelGraph graph(
      Spec spec,
      String config,
      Params params,
      Weights weights,
      CompileOptions options,
      Diagnostics diagnostics,
      Map<String, float[]> contents,
      List<String> warnings) {
    diagnostics.throwIfAny();
    Optional<Spec.GraphDef> main =
        spec.graphs().stream().filter(g -> g.name().equals("main")).findFirst();
    if (main.isEmpty()) {
      List<String> names = spec.graphs().stream().map(Spec.GraphDef::name).toList();
      Span span = names.isEmpty() ? new Span(1, 1, 1) : spec.graphs().get(0).span();
      String near = names.isEmpty() ? "" : Names.suggestion(names.get(0), List.of("main"));
      diagnostics.add(
          span, "a spec has a graph 'main': graph main(ids, pos, out_rows) { .. }" + near);
      diagnostics.throwIfAny();
    }
    int context = context(spec, params);
    CompileOptions limited = options.limit() == 0 ? options.withLimit(context) : options;
    Elaborator elaborator = new Elaborator(spec, params, weights, limited, diagnostics);
    Graph graph = elaborator.graph(main.orElseThrow());
    diagnostics.throwIfAny();
    Map<String, String> texts = new LinkedHashMap<>();
    params.names().forEach(name -> texts.put(name, params.get(name).toString()));
    return new ModelGraph(
        spec.model(),
        config,
        graph,
        texts,
        elaborator.tensors().used(),
        elaborator.states().used(),
        elaborator.layers(),
        vocabulary(graph),
        context,
        Metadata.of(spec, params),
        contents,
        warnings);
  }

  private static int context(Spec spec, Params params) {
    for (Spec.Param p : spec.params()) {
      if (p.value() instanceof Expr.Text t
          && t.value().equals("context_length")
          && params.get(p.name()) instanceof Val.Int i) {
        return (int) Math.min(i.value(), Integer.MAX_VALUE);
      }
    }
    return 0;
  }

  private static int vocabulary(Graph graph) {
    Optional<TensorType> type =
        graph.output("logits").map(v -> graph.byId().get(v.node()).types().get(v.result()));
    return type.map(t ->
            t.shape().last() instanceof Dim.Const c
                ? (int) Math.min(c.value(), Integer.MAX_VALUE)
                : 0)
        .orElse(0);
  }
}
