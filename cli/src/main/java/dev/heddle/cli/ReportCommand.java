package dev.heddle.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints what a bundle holds and what was done to its graph. */
@Command(
    name = "report",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Print what was compiled: launches, bytes read, kernels, memory, and what changes arithmetic.")
final class ReportCommand implements Callable<Integer> {
  private final Terminal terminal;
  @Mixin private ModelOptions model;
  @Mixin private TargetOptions target;

  @Option(names = "--json", description = "print JSON")
  private boolean isJson;

  ReportCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    BundleReport report = BundleReport.of(new Preparation(terminal, model, target).bundle());
    if (isJson) {
      terminal.out().println(Json.pretty(report));
    } else {
      terminal.out().print(ReportText.of(report, terminal));
    }
    return Errors.DONE;
  }
}
