package dev.heddle.cli;

import dev.heddle.compiler.spec.Spec;
import dev.heddle.compiler.spec.SpecLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists the built-in specs and their configs, or prints one. */
@Command(
    name = "specs",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "List the built-in architectures and their configs, or print one's .model text.")
final class SpecsCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "print this spec")
  private String name;

  @Option(names = "--json", description = "print JSON")
  private boolean isJson;

  SpecsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** A built-in spec. */
  record Listed(String model, List<String> configs) {}

  @Override
  public Integer call() {
    if (name != null) {
      Spec spec = SpecLibrary.require(name);
      terminal
          .out()
          .println(
              isJson
                  ? Json.pretty(Map.of("model", spec.model(), "text", spec.text()))
                  : spec.text().stripTrailing());
      return Errors.DONE;
    }
    List<Listed> listed = new ArrayList<>();
    for (Spec spec : SpecLibrary.builtin()) {
      listed.add(new Listed(spec.model(), spec.configs().stream().map(Spec.Config::name).toList()));
    }
    if (isJson) {
      terminal.out().println(Json.pretty(Map.of("specs", listed)));
      return Errors.DONE;
    }
    for (Listed spec : listed) {
      terminal
          .out()
          .printf(
              "%s  %s%n",
              terminal.bold(String.format("%-10s", spec.model())),
              String.join(", ", spec.configs()));
    }
    return Errors.DONE;
  }
}
