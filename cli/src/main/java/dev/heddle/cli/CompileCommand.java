package dev.heddle.cli;

import dev.heddle.codegen.jvm.KernelSource;
import dev.heddle.compiler.CompileRequest;
import dev.heddle.compiler.Compiler;
import dev.heddle.compiler.spec.ModelGraph;
import dev.heddle.ir.GraphText;
import dev.heddle.ir.bundle.Bundle;
import dev.heddle.ir.bundle.BundleWriter;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.passes.Lowered;
import dev.heddle.passes.PlanText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
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
    description = "Compile a model to a bundle; a spec with --config needs neither weights nor hardware.")
final class CompileCommand implements Callable<Integer> {
  private final Terminal terminal;
  @Mixin private ModelOptions model;

  @Option(names = {"-o", "--out"}, paramLabel = "FILE", description = "the file to write (default: MODEL.bundle; other stages go to standard output)")
  private Path out;

  @Option(names = "--emit", paramLabel = "STAGE", defaultValue = "BUNDLE", description = "graph, plan, source or bundle (default: bundle)")
  private Stage emit;

  @Mixin private TargetOptions target;

  @Option(names = "--json", description = "print JSON")
  private boolean isJson;

  /** Where to stop. */
  enum Stage {
    GRAPH,
    PLAN,
    SOURCE,
    BUNDLE
  }

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
    if (emit == Stage.GRAPH) {
      return text("graph", GraphText.print(graph.main()));
    }
    Lowered lowered = Compiler.lower(graph, request);
    if (emit == Stage.PLAN) {
      StringBuilder plans = new StringBuilder();
      for (Map.Entry<PlanKey, dev.heddle.ir.plan.Plan> plan : lowered.plans().entrySet()) {
        plans.append(PlanText.print(plan.getValue(), lowered.kernels())).append('\n');
      }
      return text("plan", plans.toString());
    }
    if (emit == Stage.SOURCE) {
      StringBuilder sources = new StringBuilder();
      Compiler.sources(lowered, request).stream().distinct().map(KernelSource::source).forEach(s -> sources.append(s).append('\n'));
      return text("source", sources.toString());
    }
    Path file = out != null ? out : Path.of(defaultName());
    try (Progress progress = new Progress(terminal, "compiling", !isJson)) {
      progress.update(0, 1);
      BundleWriter.write(file, Compiler.bundle(graph, lowered, request));
    }
    wrote(graph, lowered, file, System.nanoTime() - from);
    return Errors.DONE;
  }

  private String defaultName() {
    String base = model.config != null ? model.config : Path.of(model.model).getFileName().toString();
    return base.replaceAll("\\.(gguf|model)$", "") + ".bundle";
  }

  private int text(String stage, String text) throws IOException {
    if (out != null) {
      Files.writeString(out, text, StandardCharsets.UTF_8);
    }
    if (isJson) {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("stage", stage);
      json.put(out != null ? "file" : "text", out != null ? out : text);
      terminal.out().println(Json.pretty(json));
    } else if (out == null) {
      terminal.out().print(text);
    }
    return Errors.DONE;
  }

  private void wrote(ModelGraph graph, Lowered lowered, Path file, long nanos) throws IOException {
    BundleReport report = BundleReport.of(dev.heddle.ir.bundle.BundleReader.open(file));
    long kernels = report.kernels().stream().mapToInt(BundleReport.Kernel::variants).sum();
    long buffers = report.plans().stream().mapToLong(BundleReport.PlanFacts::arenaBytes).max().orElse(0);
    if (isJson) {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("file", file);
      json.put("bytes", Files.size(file));
      json.put("seconds", nanos / 1e9);
      json.put("graphNodes", lowered.before().nodes().size());
      json.put("parameters", graph.parameters());
      json.put("report", report);
      terminal.out().println(Json.pretty(json));
      return;
    }
    terminal
        .out()
        .printf(
            "graph      %s nodes, %d layers, %s parameters%n",
            Sizes.count(lowered.before().nodes().size()), graph.layers(), Sizes.count(graph.parameters()));
    terminal.out().printf("passes     %s%n", String.join(", ", lowered.passes()));
    terminal
        .out()
        .printf("%-10s %d launches a token, %d kernels for it, %d in all%n", report.target(), report.launches(), kernels, distinct(lowered));
    terminal
        .out()
        .printf(
            "memory     weights %s · KV %s a token (%s) · peak step buffers %s%n",
            Sizes.bytes(report.weightBytes()), Sizes.bytes(report.kvBytesPerToken()), report.kv(), Sizes.bytes(buffers));
    for (BundleReport.Copy copy : report.copies()) {
      terminal.out().printf("copied     %s  %s -> %s at load, %s%n", copy.tensor(), copy.stored(), copy.loaded(), Sizes.bytes(copy.bytes()));
    }
    terminal.out().printf("wrote      %s  %s  %s%n", file, Sizes.bytes(Files.size(file)), Sizes.seconds(nanos));
    lowered.arithmetic().forEach(sentence -> terminal.out().println("arithmetic " + sentence));
  }

  private static int distinct(Lowered lowered) {
    return List.copyOf(new java.util.HashSet<>(lowered.kernels())).size();
  }
}
