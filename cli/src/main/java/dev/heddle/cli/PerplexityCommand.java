package dev.heddle.cli;

import dev.heddle.runtime.Executor;
import dev.heddle.runtime.generate.Perplexity;
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

/** How well a model predicts a text. */
@Command(
    name = "perplexity",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Perplexity of a text: consecutive windows, each from an empty state, all tokens but each window's first are scored.")
final class PerplexityCommand implements Callable<Integer> {
  private final Terminal terminal;
  @Mixin private ModelOptions model;

  @Option(
      names = {"-f", "--file"},
      required = true,
      paramLabel = "FILE",
      description = "the text (UTF-8)")
  private Path file;

  @Option(
      names = "--window",
      paramLabel = "N",
      defaultValue = "512",
      description = "tokens in a window (default: ${DEFAULT-VALUE})")
  private int window;

  @Mixin private TargetOptions target;

  @Option(names = "--json", description = "print JSON")
  private boolean isJson;

  PerplexityCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    if (window < 2) {
      throw new UsageException("--window is at least 2, not " + window);
    }
    String text = Files.readString(file, StandardCharsets.UTF_8);
    long from = System.nanoTime();
    try (LoadedModel loaded = new Preparation(terminal, model, target).load(window, 1);
        Executor executor = loaded.model().newExecutor();
        Progress progress = new Progress(terminal, "perplexity", !isJson)) {
      int[] ids = loaded.tokenizer().encode(text, false, false);
      Perplexity result = Perplexity.measure(executor, ids, window, progress::update);
      double seconds = (System.nanoTime() - from) / 1e9;
      if (isJson) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("perplexity", result.value());
        json.put("tokens", ids.length);
        json.put("scored", result.scored());
        json.put("window", window);
        json.put("secondHalf", result.secondHalf());
        json.put("arithmetic", loaded.manifest().arithmetic());
        json.put("seconds", seconds);
        terminal.out().println(Json.pretty(json));
      } else {
        terminal
            .out()
            .printf(
                Locale.ROOT,
                "perplexity %.5f  over %s of %s tokens in windows of %d  %.1f s%n",
                result.value(),
                Sizes.count(result.scored()),
                Sizes.count(ids.length),
                window,
                seconds);
        loaded
            .manifest()
            .arithmetic()
            .forEach(sentence -> terminal.out().println("arithmetic " + sentence));
      }
    }
    return Errors.DONE;
  }
}
