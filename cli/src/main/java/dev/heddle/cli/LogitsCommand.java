package dev.heddle.cli;

import dev.heddle.runtime.Executor;
import dev.heddle.runtime.generate.Logits;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes the logits of given tokens as a NumPy file. */
@Command(
    name = "logits",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Write the logits at every given token as a NumPy file, f32 [n_tokens, n_vocab].")
final class LogitsCommand implements Callable<Integer> {
  private final Terminal terminal;
  @Mixin private ModelOptions model;

  @Option(
      names = "--tokens",
      required = true,
      split = ",",
      paramLabel = "N",
      description = "token ids, separated by commas")
  private int[] tokens;

  @Option(
      names = "--step",
      description = "one token at a time through the cache, instead of the whole prompt at once")
  private boolean isStepwise;

  @Option(
      names = {"-o", "--out"},
      required = true,
      paramLabel = "FILE.npy",
      description = "the file to write")
  private Path out;

  @Mixin private TargetOptions target;

  @Option(names = "--json", description = "print JSON")
  private boolean isJson;

  LogitsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    long from = System.nanoTime();
    try (LoadedModel loaded = new Preparation(terminal, model, target).load(tokens.length, 1);
        Executor executor = loaded.model().newExecutor();
        Progress progress = new Progress(terminal, "computing", true);
        Npy npy = new Npy(out, tokens.length, loaded.manifest().vocabulary())) {
      int slot = executor.open();
      float[] row = new float[loaded.manifest().vocabulary()];
      Logits.Sink sink =
          (position, rows, r) -> {
            rows.copy(r, row);
            npy.write(row, 0);
            progress.update(position + 1, tokens.length);
          };
      if (isStepwise) {
        Logits.stepwise(executor, slot, tokens, sink);
      } else {
        Logits.whole(executor, slot, tokens, sink);
      }
      Map<String, Object> facts = new LinkedHashMap<>();
      facts.put("file", out);
      facts.put("shape", new int[] {tokens.length, loaded.manifest().vocabulary()});
      facts.put("stepwise", isStepwise);
      facts.put("arithmetic", loaded.manifest().arithmetic());
      facts.put("seconds", (System.nanoTime() - from) / 1e9);
      terminal
          .out()
          .println(
              isJson
                  ? Json.pretty(facts)
                  : "wrote      "
                      + out
                      + "  f32 ["
                      + tokens.length
                      + ", "
                      + loaded.manifest().vocabulary()
                      + "]  "
                      + Sizes.seconds(System.nanoTime() - from));
    }
    return Errors.DONE;
  }
}
