package dev.heddle.cli;

import dev.heddle.gguf.Recipe;
import dev.heddle.gguf.Requantiser;
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

/** Writes a GGUF in other weight types. */
@Command(
    name = "quantize",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Write a GGUF in another weight type, by llama.cpp's recipes.")
final class QuantizeCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(index = "0", paramLabel = "IN.gguf", description = "the model")
  private Path in;

  @Parameters(index = "1", paramLabel = "OUT.gguf", description = "the file to write")
  private Path out;

  @Parameters(
      index = "2",
      paramLabel = "TYPE",
      description = "q8_0, q4_0, q4_k_m, q6_k, f16 or f32")
  private String type;

  @Option(names = "--json", description = "print JSON")
  private boolean isJson;

  QuantizeCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    Recipe recipe =
        Recipe.ofText(type)
            .orElseThrow(() ->
                new UsageException("there is no type '" + type + "': types are " + Recipe.names()));
    if (Files.exists(out) && Files.exists(in) && Files.isSameFile(in, out)) {
      throw new UsageException(out + " is the input itself: give another name for the output");
    }
    long from = System.nanoTime();
    Requantiser.Summary summary;
    try (Progress progress = new Progress(terminal, "quantising", !isJson)) {
      summary =
          Requantiser.run(in, out, recipe, (done, total, item) -> progress.update(done, total));
    }
    List<Requantiser.Change> fallbacks =
        summary.changes().stream().filter(c -> c.to() != c.wanted()).toList();
    if (isJson) {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("file", out);
      json.put("recipe", recipe.text());
      json.put("bytesIn", summary.bytesIn());
      json.put("bytesOut", summary.bytesOut());
      json.put("fromQuantised", summary.isFromQuantised());
      json.put("tensors", summary.changes());
      terminal.out().println(Json.pretty(json));
      return Errors.DONE;
    }
    terminal
        .out()
        .printf(
            "wrote      %s  %s  %s -> %s  %s%n",
            out,
            recipe.text(),
            Sizes.bytes(summary.bytesIn()),
            Sizes.bytes(summary.bytesOut()),
            Sizes.seconds(System.nanoTime() - from));
    for (Requantiser.Change change : fallbacks) {
      terminal
          .out()
          .printf(
              "fallback   %s  %s: its rows are no whole blocks of %s%n",
              change.name(), change.to().text(), change.wanted().text());
    }
    if (summary.isFromQuantised()) {
      terminal
          .err()
          .println("the input was quantised already: quantising from f16 or f32 loses less");
    }
    return Errors.DONE;
  }
}
