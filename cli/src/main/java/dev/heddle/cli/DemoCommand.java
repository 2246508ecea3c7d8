package dev.heddle.cli;

import dev.heddle.ir.bundle.Manifest;
import dev.heddle.ir.plan.KernelKind.ExpertMatmulKernel;
import dev.heddle.runtime.Devices;
import dev.heddle.runtime.Executor;
import dev.heddle.runtime.ReadBandwidth;
import dev.heddle.runtime.Team;
import dev.heddle.runtime.generate.Generator;
import dev.heddle.text.Detokenizer;
import dev.heddle.text.Tokenizer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The first minute: compiles the trained model of the repository and lets it tell a story. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Compile the bundled trained mixture-of-experts model, say what was done, and let it tell a story.")
final class DemoCommand implements Callable<Integer> {
  private static final String MODEL = "model-specs/models/tiny-qwen3moe.gguf";
  private static final long MEASURED_BYTES = 192L << 20;

  private final Terminal terminal;

  @Option(
      names = {"-p", "--prompt"},
      paramLabel = "TEXT",
      defaultValue = "Once upon a time",
      description = "how the story begins (default: ${DEFAULT-VALUE})")
  private String prompt;

  @Option(
      names = {"-n", "--max-tokens"},
      paramLabel = "N",
      defaultValue = "128",
      description = "tokens to make at most (default: ${DEFAULT-VALUE})")
  private int maxTokens;

  @Mixin private TargetOptions target;

  @Option(names = "--json", description = "print JSON")
  private boolean isJson;

  DemoCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    if (maxTokens < 1) {
      throw new UsageException("--max-tokens is at least 1, not " + maxTokens);
    }
    ModelOptions model = new ModelOptions();
    model.model = file().toString();
    // The demo shows compiling: it does not take an earlier run's bundle, but keeps its own for
    // heddle run.
    target.isUncached = true;
    Preparation preparation = new Preparation(terminal, model, target);
    Map<String, Object> json = new LinkedHashMap<>();
    double bandwidth = machine(json);
    PreparedModel prepared = preparation.prepare();
    Tokenizer tokenizer = prepared.tokenizer();
    int[] ids = tokenizer.encode(prompt, false, true);
    BundleReport report = compiled(prepared, json);
    try (LoadedModel loaded = preparation.load(prepared, ids.length + maxTokens, 1);
        Executor executor = loaded.model().newExecutor()) {
      Generator.Generation made = tell(loaded, executor, tokenizer, ids, json);
      double share = made.timing().decodeRate() * report.readBytesPerToken() / bandwidth;
      json.put("tokens", made.ids().length);
      json.put("tokensPerSecond", made.timing().decodeRate());
      json.put("shareOfReadBandwidth", share);
      json.put("firstTokenMillis", made.timing().firstTokenMillis());
      say(
          "%n%d tokens · %.0f tok/s · %.0f %% of read bandwidth · first token %.0f ms%n",
          made.ids().length,
          made.timing().decodeRate(),
          100 * share,
          made.timing().firstTokenMillis());
      say(
          "next: heddle report %s · heddle run YOUR.gguf --prompt \"...\" · heddle --help%n",
          shortName(file()));
    }
    if (isJson) {
      terminal.out().println(Json.pretty(json));
    }
    return Errors.DONE;
  }

  private static Path file() {
    String home = System.getProperty("heddle.home", System.getenv("HEDDLE_HOME"));
    if (home == null) {
      throw new UsageException(
          "the demo's model lies in heddle's checkout: start heddle by its script ./heddle");
    }
    Path file = Path.of(home).resolve(MODEL);
    if (!Files.isRegularFile(file)) {
      throw new UsageException(file + " is missing: the demo needs a whole checkout of heddle");
    }
    return file;
  }

  private static String shortName(Path file) {
    Path here = Path.of("").toAbsolutePath();
    return file.toAbsolutePath().startsWith(here)
        ? here.relativize(file.toAbsolutePath()).toString()
        : file.toString();
  }

  private double machine(Map<String, Object> json) {
    try (Team team =
        new Team(
            target.threads == null ? Runtime.getRuntime().availableProcessors() : target.threads)) {
      double bandwidth = ReadBandwidth.measure(team, MEASURED_BYTES, 3);
      int bits = Devices.vectorBits();
      json.put("heddle", Version.HEDDLE);
      json.put("java", Runtime.version().toString());
      json.put("cores", team.threads());
      json.put("vectorBits", bits);
      json.put("readBytesPerSecond", bandwidth);
      say(
          "%s · jvm (%d cores, %d-bit vectors, read bandwidth %.1f GB/s)%n",
          terminal.bold(Version.line()), team.threads(), bits, bandwidth / 1e9);
      return bandwidth;
    }
  }

  private BundleReport compiled(PreparedModel prepared, Map<String, Object> json) {
    Manifest manifest = prepared.bundle().manifest();
    BundleReport report = BundleReport.of(prepared.bundle());
    long bytes = prepared.gguf().orElseThrow().bytes();
    int layers = (int) report.layers().stream().filter(l -> l.layer() >= 0).count();
    int nodes = (int) prepared.bundle().graph().lines().filter(l -> l.startsWith("%")).count();
    long kernels = manifest.kernels().stream().map(Manifest.Kernel::name).distinct().count();
    String types =
        manifest.weights().stream()
            .map(w -> w.stored().text())
            .distinct()
            .filter(t -> !t.equals("f32"))
            .collect(Collectors.joining(", "));
    json.put("model", manifest.config());
    json.put("spec", manifest.model());
    json.put("layers", layers);
    json.put("fileBytes", bytes);
    json.put("graphNodes", nodes);
    json.put("launches", report.launches());
    json.put("kernels", kernels);
    json.put("compileSeconds", prepared.compileNanos() / 1e9);
    json.put("passes", manifest.passes());
    json.put("arithmetic", manifest.arithmetic());
    say(
        "model    %s · %d layers%s · %s · %s%n",
        manifest.config().replace(".gguf", ""),
        layers,
        experts(manifest),
        types,
        Sizes.bytes(bytes));
    say(
        "compile  spec %s.model -> graph %d nodes -> plan %d launches a token -> %d kernels   %s%n",
        manifest.model(),
        nodes,
        report.launches(),
        kernels,
        Sizes.seconds(prepared.compileNanos()));
    say(
        "passes   %s · %s%n%n",
        String.join(", ", manifest.passes()),
        manifest.arithmetic().isEmpty() ? "exact" : String.join("; ", manifest.arithmetic()));
    return report;
  }

  private static String experts(Manifest manifest) {
    return manifest.kernels().stream()
        .map(Manifest.Kernel::kind)
        .filter(ExpertMatmulKernel.class::isInstance)
        .map(ExpertMatmulKernel.class::cast)
        .findFirst()
        .map(k -> " · " + k.experts() + " experts, " + k.used() + " used")
        .orElse("");
  }

  private Generator.Generation tell(
      LoadedModel loaded,
      Executor executor,
      Tokenizer tokenizer,
      int[] ids,
      Map<String, Object> json) {
    Detokenizer detokenizer = tokenizer.detokenizer(false);
    StringBuilder story = new StringBuilder(prompt);
    Set<Integer> stops = IntStream.of(tokenizer.stopIds()).boxed().collect(Collectors.toSet());
    say("%s", prompt);
    Generator.Generation made =
        Generator.generate(
            executor,
            executor.open(),
            ids,
            new SamplingOptions().sampler(tokenizer, loaded.manifest().vocabulary()),
            new Generator.Limits(maxTokens, stops),
            id -> {
              String piece = detokenizer.accept(id);
              story.append(piece);
              say("%s", piece);
              return true;
            });
    String rest = detokenizer.flush();
    story.append(rest);
    say("%s%n", rest);
    json.put("text", story.toString());
    return made;
  }

  private void say(String format, Object... values) {
    if (!isJson) {
      terminal.out().printf(Locale.ROOT, format, values);
      terminal.out().flush();
    }
  }
}
