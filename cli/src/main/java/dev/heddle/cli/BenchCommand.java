package dev.heddle.cli;

import dev.heddle.runtime.Batch;
import dev.heddle.runtime.Executor;
import dev.heddle.runtime.ReadBandwidth;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Tokens a second, with the machine's read bandwidth taken beside each figure. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Measure decoding and prompts in tokens a second, with the machine's read bandwidth beside each figure.")
final class BenchCommand implements Callable<Integer> {
  private static final long MEASURED_BYTES = 192L << 20;

  private final Terminal terminal;
  @Mixin private ModelOptions model;

  @Option(
      names = "--tokens",
      paramLabel = "N",
      defaultValue = "64",
      description = "tokens to decode in a round (default: ${DEFAULT-VALUE})")
  private int tokens;

  @Option(
      names = "--prompt-tokens",
      paramLabel = "N",
      defaultValue = "512",
      description = "tokens of the prompt; 0 = no prompt round (default: ${DEFAULT-VALUE})")
  private int promptTokens;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "timed rounds after one that warms up (default: ${DEFAULT-VALUE})")
  private int rounds;

  @Mixin private TargetOptions target;

  @Option(names = "--json", description = "print JSON")
  private boolean isJson;

  /**
   * One kind of work, timed.
   *
   * @param what decode or prompt
   * @param tokens tokens in a round
   * @param median tokens a second, of all rounds
   * @param best of the rounds
   * @param readBytesPerSecond read bandwidth between the rounds, median
   * @param shareOfReadBandwidth of it that the weights' bytes take at the median speed; 0 for
   *     prompts, which reuse them
   */
  record Row(
      String what,
      int tokens,
      double median,
      double best,
      double readBytesPerSecond,
      double shareOfReadBandwidth) {}

  BenchCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    if (tokens < 1 || promptTokens < 0 || rounds < 1) {
      throw new UsageException("--tokens and --rounds are at least 1, --prompt-tokens at least 0");
    }
    try (LoadedModel loaded =
            new Preparation(terminal, model, target).load(Math.max(promptTokens, 1) + tokens, 1);
        Executor executor = loaded.model().newExecutor();
        Progress progress = new Progress(terminal, "measuring", !isJson)) {
      BundleReport report = BundleReport.of(loaded.bundle());
      List<Row> rows = new ArrayList<>();
      if (promptTokens > 0) {
        rows.add(measure("prompt", promptTokens, 0, executor, progress, () -> prompt(executor)));
      }
      rows.add(
          measure(
              "decode",
              tokens,
              report.readBytesPerToken(),
              executor,
              progress,
              () -> decode(executor)));
      print(loaded, report, rows);
    }
    return Errors.DONE;
  }

  private Row measure(
      String what, int count, long bytes, Executor executor, Progress progress, Runnable round) {
    round.run();
    double[] rates = new double[rounds];
    double[] bandwidths = new double[rounds];
    for (int i = 0; i < rounds; i++) {
      long from = System.nanoTime();
      round.run();
      rates[i] = count * 1e9 / (System.nanoTime() - from);
      bandwidths[i] = ReadBandwidth.measure(executor.model().team(), MEASURED_BYTES, 2);
      progress.update(i + 1, rounds);
    }
    Arrays.sort(rates);
    Arrays.sort(bandwidths);
    double median = rates[rounds / 2];
    double bandwidth = bandwidths[rounds / 2];
    return new Row(what, count, median, rates[rounds - 1], bandwidth, median * bytes / bandwidth);
  }

  private void prompt(Executor executor) {
    int slot = executor.open();
    int[] ids = new int[promptTokens];
    Arrays.setAll(ids, i -> (i * 7 + 1) % executor.model().manifest().vocabulary());
    executor.prompt(slot, ids, dev.heddle.runtime.Progress.NONE);
    executor.release(slot);
  }

  private void decode(Executor executor) {
    int slot = executor.open();
    Batch batch = Batch.step();
    for (int i = 0; i < tokens; i++) {
      executor.step(
          batch.clear().add(slot, (i * 7 + 1) % executor.model().manifest().vocabulary(), true));
    }
    executor.release(slot);
  }

  private void print(LoadedModel loaded, BundleReport report, List<Row> rows) {
    if (isJson) {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("model", report.config());
      json.put("weightBytes", report.weightBytes());
      json.put("readBytesPerToken", report.readBytesPerToken());
      json.put("threads", loaded.model().options().threads());
      json.put("arithmetic", report.arithmetic());
      json.put("rows", rows);
      terminal.out().println(Json.pretty(json));
      return;
    }
    terminal
        .out()
        .printf(
            "%s · weights %s · a token reads %s · %d threads%n",
            terminal.bold(report.config()),
            Sizes.bytes(report.weightBytes()),
            Sizes.bytes(report.readBytesPerToken()),
            loaded.model().options().threads());
    terminal
        .out()
        .println(
            terminal.bold("work        tokens   tok/s median     best   read bandwidth   used"));
    for (Row row : rows) {
      terminal
          .out()
          .printf(
              Locale.ROOT,
              "%-8s  %8d  %13.1f  %7.1f   %9.1f GB/s   %s%n",
              row.what(),
              row.tokens(),
              row.median(),
              row.best(),
              row.readBytesPerSecond() / 1e9,
              row.shareOfReadBandwidth() == 0
                  ? ""
                  : String.format(Locale.ROOT, "%.0f %%", 100 * row.shareOfReadBandwidth()));
    }
    report.arithmetic().forEach(sentence -> terminal.out().println("arithmetic " + sentence));
  }
}
