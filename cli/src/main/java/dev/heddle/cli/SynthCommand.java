package dev.heddle.cli;

import dev.heddle.compiler.spec.CompileOptions;
import dev.heddle.compiler.spec.ModelGraph;
import dev.heddle.compiler.spec.Spec;
import dev.heddle.compiler.spec.SpecCompiler;
import dev.heddle.compiler.spec.SpecLibrary;
import dev.heddle.compiler.spec.TypeRecipe;
import dev.heddle.gguf.GgufValue;
import dev.heddle.gguf.GgufWriter;
import dev.heddle.gguf.Recipe;
import dev.heddle.gguf.Synth;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a GGUF of a real model's shapes with seeded weights. */
@Command(
    name = "synth",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Write a GGUF of a config's true shapes with seeded weights of unit scale, for trying and timing without the model.")
final class SynthCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(index = "0", paramLabel = "OUT.gguf", description = "the file to write")
  private Path out;

  @Option(
      names = "--spec",
      required = true,
      paramLabel = "SPEC",
      description = "a built-in spec's name or a .model file")
  private String spec;

  @Option(
      names = "--config",
      required = true,
      paramLabel = "NAME",
      description = "config of the spec")
  private String config;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      defaultValue = "q8_0",
      description = "q8_0, q4_0, q4_k_m, q6_k, f16 or f32 (default: ${DEFAULT-VALUE})")
  private String type;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "seed of the weights (default: ${DEFAULT-VALUE})")
  private long seed;

  @Option(names = "--layers", paramLabel = "N", description = "only the first N layers")
  private Long layers;

  @Option(names = "--json", description = "print JSON")
  private boolean isJson;

  SynthCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    long from = System.nanoTime();
    Recipe recipe =
        Recipe.ofText(type)
            .orElseThrow(() ->
                new UsageException("there is no type '" + type + "': types are " + Recipe.names()));
    if (layers != null && layers < 1) {
      throw new UsageException("--layers takes a number from 1 up, not " + layers);
    }
    Spec parsed =
        spec.endsWith(".model") ? SpecLibrary.load(Path.of(spec)) : SpecLibrary.require(spec);
    CompileOptions options =
        CompileOptions.DEFAULT.withOverrides(layers == null ? Map.of() : Map.of("L", layers));
    ModelGraph model = SpecCompiler.compile(parsed, config, TypeRecipe.of(recipe), options);
    List<GgufWriter.Tensor> tensors =
        model.weights().stream()
            .map(w ->
                new GgufWriter.Tensor(
                    w.tensor(), w.stored(), w.ne().stream().mapToLong(Long::longValue).toArray()))
            .toList();
    try (Progress progress = new Progress(terminal, "writing", !isJson)) {
      Synth.write(
          out,
          metadata(model, recipe),
          tensors,
          model.contents(),
          seed,
          (done, total, item) -> progress.update(done, total));
    }
    if (isJson) {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("file", out);
      json.put("bytes", Files.size(out));
      json.put("parameters", model.parameters());
      json.put("tensors", tensors.size());
      json.put("layers", model.layers());
      json.put("type", recipe.text());
      json.put("seed", seed);
      terminal.out().println(Json.pretty(json));
    } else {
      terminal
          .out()
          .printf(
              "wrote      %s  %s  %s parameters in %d layers  %s  %s%n",
              out,
              recipe.text(),
              Sizes.count(model.parameters()),
              model.layers(),
              Sizes.bytes(Files.size(out)),
              Sizes.seconds(System.nanoTime() - from));
    }
    return Errors.DONE;
  }

  private Map<String, GgufValue> metadata(ModelGraph model, Recipe recipe) {
    Map<String, GgufValue> metadata = new LinkedHashMap<>();
    model.metadata().forEach((key, value) -> metadata.put(key, value(value)));
    metadata.put(
        "general.name", new GgufValue.Text(model.config() + " with seeded weights, seed " + seed));
    metadata.put("general.file_type", new GgufValue.Int(GgufValue.Type.U32, recipe.fileType()));
    metadata.put("general.quantization_version", new GgufValue.Int(GgufValue.Type.U32, 2));
    metadata.putAll(
        Synth.vocabulary(
            model.vocabulary(), model.model().startsWith("qwen") ? "qwen2" : "llama-bpe"));
    return metadata;
  }

  /** Numbers in the types that GGUF files commonly use for hyperparameters. */
  private static GgufValue value(Object value) {
    return switch (value) {
      case Long n when n >= 0 && n <= 0xffffffffL -> new GgufValue.Int(GgufValue.Type.U32, n);
      case Long n -> new GgufValue.Int(GgufValue.Type.I64, n);
      case Double x -> new GgufValue.Real(GgufValue.Type.F32, (float) x.doubleValue());
      case Boolean b -> new GgufValue.Bool(b);
      case List<?> list when list.stream().allMatch(Long.class::isInstance) ->
          new GgufValue.Ints(GgufValue.Type.I32, list.stream().mapToLong(x -> (Long) x).toArray());
      case List<?> list when list.stream().allMatch(Double.class::isInstance) ->
          new GgufValue.Reals(
              GgufValue.Type.F32, list.stream().mapToDouble(x -> (Double) x).toArray());
      case List<?> list when list.stream().allMatch(Boolean.class::isInstance) -> bools(list);
      default -> new GgufValue.Text(value.toString());
    };
  }

  private static GgufValue bools(List<?> list) {
    boolean[] values = new boolean[list.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = (Boolean) list.get(i);
    }
    return new GgufValue.Bools(values);
  }
}
