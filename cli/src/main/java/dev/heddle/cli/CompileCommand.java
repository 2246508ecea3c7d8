package dev.heddle.cli;

import dev.heddle.compiler.CompileRequest;
import dev.heddle.compiler.Compiler;
import dev.heddle.compiler.Emit;
import dev.heddle.compiler.spec.ModelGraph;
import dev.heddle.ir.bundle.BundleContents;
import dev.heddle.ir.bundle.BundleWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Spec to bundle, or to any stage on the way. */
@Command(
    name = "compile",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Compile a model to a bundle; a spec with --config needs neither weights nor hardware.")
final class CompileCommand implements Callable<Integer> {
  private final Terminal terminal;
  @Mixin private ModelOptions model;

  @Option(
      names = {"-o", "--out"},
      paramLabel = "FILE",
      description = "the file to write (default: MODEL.bundle; other stages go to standard output)")
  private Path out;

  @Option(
      names = "--emit",
      paramLabel = "STAGE",
      defaultValue = "BUNDLE",
      description = "graph, plan, source or bundle (default: bundle)")
  private Emit emit;

  @Mixin private TargetOptions target;

  @Option(names = "--json", description = "print JSON")
  private boolean isJson;

  CompileCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    long from = System.nanoTime();
    Preparation preparation = new Preparation(terminal, model, target);
    CompileRequest request = preparation.request();
    ModelGraph graph = preparation.graph();
    graph.warnings().forEach(terminal.err()::println);
    if (emit != Emit.BUNDLE) {
      return text(emit.text(graph, request));
    }
    Path file = out != null ? out : Path.of(defaultName());
    BundleContents contents;
    try (Progress progress = new Progress(terminal, "compiling", !isJson)) {
      progress.update(0, 1);
      contents = Compiler.compile(graph, request);
      BundleWriter.write(file, contents);
    }
    wrote(graph, contents, file, System.nanoTime() - from);
    return Errors.DONE;
  }

  private String defaultName() {
    String base =
        model.config != null ? model.config : Path.of(model.model).getFileName().toString();
    return base.replaceAll("\\.(gguf|model)$", "") + ".bundle";
  }

  private int text(String text) throws IOException {
    if (out != null) {
      Files.writeString(out, text, StandardCharsets.UTF_8);
    }
    if (isJson) {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("stage", emit.name().toLowerCase(Locale.ROOT));
      json.put(out != null ? "file" : "text", out != null ? out : text);
      terminal.out().println(Json.pretty(json));
    } else if (out == null) {
      terminal.out().print(text);
    }
    return Errors.DONE;
  }

  private void wrote(ModelGraph graph, BundleContents contents, Path file, long nanos)
      throws IOException {
    BundleReport report = BundleReport.of(contents);
    long kernels = report.kernels().stream().mapToInt(BundleReport.Kernel::variants).sum();
    long buffers =
        report.plans().stream().mapToLong(BundleReport.PlanFacts::arenaBytes).max().orElse(0);
    if (isJson) {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("file", file);
      json.put("bytes", Files.size(file));
      json.put("seconds", nanos / 1e9);
      json.put("graphNodes", graph.main().nodes().size());
      json.put("parameters", graph.parameters());
      json.put("report", report);
      terminal.out().println(Json.pretty(json));
      return;
    }
    terminal
        .out()
        .printf(
            "graph      %s nodes, %d layers, %s parameters%n",
            Sizes.count(graph.main().nodes().size()),
            graph.layers(),
            Sizes.count(graph.parameters()));
    terminal.out().printf("passes     %s%n", String.join(", ", report.passes()));
    terminal
        .out()
        .printf(
            "%-10s %d launches a token by %d kernels, %d plans%n",
            report.target(), report.launches(), kernels, report.plans().size());
    terminal
        .out()
        .printf(
            "memory     weights %s · KV %s a token (%s) · peak step buffers %s%n",
            Sizes.bytes(report.weightBytes()),
            Sizes.bytes(report.kvBytesPerToken()),
            report.kv(),
            Sizes.bytes(buffers));
    for (BundleReport.Copy copy : report.copies()) {
      terminal
          .out()
          .printf(
              "copied     %s  %s -> %s at load, %s%n",
              copy.tensor(), copy.stored(), copy.loaded(), Sizes.bytes(copy.bytes()));
    }
    terminal
        .out()
        .printf(
            "wrote      %s  %s  %s%n", file, Sizes.bytes(Files.size(file)), Sizes.seconds(nanos));
    report.arithmetic().forEach(sentence -> terminal.out().println("arithmetic " + sentence));
  }
}
