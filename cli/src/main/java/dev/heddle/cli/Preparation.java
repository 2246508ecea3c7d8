package dev.heddle.cli;

import dev.heddle.codegen.cache.CompileCache;
import dev.heddle.compiler.CompileRequest;
import dev.heddle.compiler.Compiler;
import dev.heddle.compiler.spec.CompileOptions;
import dev.heddle.compiler.spec.ModelGraph;
import dev.heddle.compiler.spec.Spec;
import dev.heddle.compiler.spec.SpecCompiler;
import dev.heddle.compiler.spec.SpecLibrary;
import dev.heddle.compiler.spec.TypeRecipe;
import dev.heddle.gguf.GgufFile;
import dev.heddle.gguf.GgufTensor;
import dev.heddle.gguf.Recipe;
import dev.heddle.ir.bundle.Bundle;
import dev.heddle.ir.bundle.BundleException;
import dev.heddle.ir.bundle.BundleReader;
import dev.heddle.ir.bundle.BundleWriter;
import dev.heddle.runtime.WeightSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Turns what the user named into a bundle with its weights: reads, compiles, or takes the bundle of
 * an earlier run.
 */
final class Preparation {
  private final Terminal terminal;
  private final ModelOptions model;
  private final TargetOptions target;

  Preparation(Terminal terminal, ModelOptions model, TargetOptions target) {
    this.terminal = terminal;
    this.model = model;
    this.target = target;
  }

  /** Compiles or reads, and loads for sequences of {@code context} positions (or --ctx). */
  LoadedModel load(int context, int slots) {
    return load(prepare(), context, slots);
  }

  /** Loads a prepared model, which is closed if that fails. */
  LoadedModel load(PreparedModel prepared, int context, int slots) {
    try {
      int trained = prepared.bundle().manifest().contextLength();
      int positions =
          target.context != null
              ? target.context
              : trained > 0 ? Math.min(context, trained) : context;
      if (positions < 1) {
        throw new UsageException("--ctx takes a number from 1 up, not " + positions);
      }
      return LoadedModel.load(prepared, target, positions, slots, terminal);
    } catch (RuntimeException | Error e) {
      prepared.close();
      throw e;
    }
  }

  /** The bundle and its weights. */
  PreparedModel prepare() {
    Long seed = model.seed();
    Path path = Path.of(model.model);
    if (Files.isRegularFile(path) && isBundle(path)) {
      return new PreparedModel(BundleReader.open(path), weightsOfBundle(seed), 0);
    }
    if (!isSpec() && model.gguf == null && seed == null) {
      GgufFile file = GgufFile.open(path);
      try {
        return ofFile(SpecLibrary.require(file.metadata().architecture()), file);
      } catch (RuntimeException | Error e) {
        file.close();
        throw e;
      }
    }
    if (model.gguf != null) {
      GgufFile file = GgufFile.open(model.gguf);
      try {
        return ofFile(spec(), file);
      } catch (RuntimeException | Error e) {
        file.close();
        throw e;
      }
    }
    if (seed == null) {
      throw new UsageException(
          "a spec has no weights: give --gguf FILE, or --weights random:1 with --config NAME for seeded weights of the true shapes");
    }
    long from = System.nanoTime();
    Bundle bundle = isSpec() ? Bundle.of(Compiler.compile(graphOfConfig(), request())) : bundle();
    return new PreparedModel(bundle, WeightSource.random(seed), System.nanoTime() - from);
  }

  /** The bundle alone: read, or compiled from a file or from a config. */
  Bundle bundle() {
    Path path = Path.of(model.model);
    if (Files.isRegularFile(path) && isBundle(path)) {
      return BundleReader.open(path);
    }
    if (isSpec() && model.gguf == null) {
      return Bundle.of(Compiler.compile(graphOfConfig(), request()));
    }
    try (GgufFile file = GgufFile.open(model.gguf != null ? model.gguf : path)) {
      return ofFile(isSpec() ? spec() : SpecLibrary.require(file.metadata().architecture()), file)
          .bundle();
    }
  }

  /** The graph of the model as its spec gives it. */
  ModelGraph graph() {
    if (isSpec() && model.gguf == null) {
      return graphOfConfig();
    }
    try (GgufFile file = GgufFile.open(model.gguf != null ? model.gguf : Path.of(model.model))) {
      return Compiler.graph(
          isSpec() ? spec() : SpecLibrary.require(file.metadata().architecture()), file, request());
    }
  }

  /** What to compile for. */
  CompileRequest request() {
    return target.request().withCache(new CompileCache(BundleCache.folder().resolve("kernels")));
  }

  /** True if MODEL names a spec and not a file of weights. */
  private boolean isSpec() {
    if (model.model.endsWith(".model")) {
      return true;
    }
    return !Files.exists(Path.of(model.model))
        && !model.model.endsWith(".gguf")
        && !model.model.endsWith(".bundle");
  }

  private Spec spec() {
    return model.model.endsWith(".model")
        ? SpecLibrary.load(Path.of(model.model))
        : SpecLibrary.require(model.model);
  }

  private ModelGraph graphOfConfig() {
    Spec spec = spec();
    if (model.config == null) {
      List<String> configs = spec.configs().stream().map(Spec.Config::name).toList();
      throw new UsageException(
          configs.isEmpty()
              ? model.model + " has no configs: give --gguf FILE"
              : "a spec needs --config NAME or --gguf FILE; configs of "
                  + spec.model()
                  + " are "
                  + String.join(", ", configs));
    }
    CompileOptions options =
        CompileOptions.DEFAULT
            .withKv(target.kv())
            .withOverrides(model.layers == null ? Map.of() : Map.of("L", model.layers));
    return SpecCompiler.compile(spec, model.config, TypeRecipe.of(recipe()), options);
  }

  private Recipe recipe() {
    String type = model.type == null ? "q8_0" : model.type;
    return Recipe.ofText(type)
        .orElseThrow(() ->
            new UsageException("there is no type '" + type + "': types are " + Recipe.names()));
  }

  private WeightSource weightsOfBundle(Long seed) {
    if (model.gguf != null) {
      return WeightSource.of(GgufFile.open(model.gguf));
    }
    if (seed == null) {
      throw new UsageException(
          "a bundle has no weights: give --gguf FILE, or --weights random:1 for seeded ones");
    }
    return WeightSource.random(seed);
  }

  /** The bundle of a file: an earlier run's if there is one. */
  private PreparedModel ofFile(Spec spec, GgufFile file) {
    CompileRequest request = request();
    Path cached = BundleCache.entry(file.metadata().architecture(), facts(spec, file, request));
    boolean isWatched = target.isUncached || target.isVerified || target.dump != null;
    Optional<Bundle> earlier = isWatched ? Optional.empty() : earlier(cached);
    if (earlier.isPresent()) {
      return new PreparedModel(earlier.get(), WeightSource.of(file), 0);
    }
    long from = System.nanoTime();
    ModelGraph graph = Compiler.graph(spec, file, request);
    graph.warnings().forEach(terminal.err()::println);
    try {
      Files.createDirectories(cached.getParent());
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the cache folder "
              + cached.getParent()
              + " cannot be made: set HEDDLE_CACHE to a folder that can",
          e);
    }
    BundleWriter.write(cached, Compiler.compile(graph, request));
    return new PreparedModel(
        BundleReader.open(cached), WeightSource.of(file), System.nanoTime() - from);
  }

  private static Optional<Bundle> earlier(Path cached) {
    if (!Files.exists(cached)) {
      return Optional.empty();
    }
    try {
      return Optional.of(BundleReader.open(cached));
    } catch (BundleException damaged) {
      // A damaged entry of the cache is written anew.
      return Optional.empty();
    }
  }

  private List<String> facts(Spec spec, GgufFile file, CompileRequest request) {
    List<String> facts = new ArrayList<>();
    facts.add(file.path().getFileName().toString());
    facts.add(spec.text());
    facts.add(
        request.target()
            + " "
            + request.vectorBits()
            + " "
            + request.passes()
            + " "
            + request.kv());
    file.metadata()
        .values()
        .forEach((key, value) -> {
          if (!key.startsWith("tokenizer.")) {
            facts.add(key + "=" + value);
          }
        });
    for (GgufTensor tensor : file.tensors()) {
      facts.add(tensor.name() + " " + tensor.type() + " " + tensor.shape());
    }
    return facts;
  }

  private static boolean isBundle(Path path) {
    try {
      return BundleReader.startsLikeZip(path);
    } catch (IOException e) {
      throw new UncheckedIOException(path + " cannot be read: check its permissions", e);
    }
  }
}
