package dev.heddle.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The {@code heddle} command: a tree of commands, each a class of this package. */
@Command(
    name = "heddle",
    description =
        "Compiles a short description of a language model to code for one exact target, and runs it.",
    versionProvider = Version.class,
    mixinStandardHelpOptions = true,
    sortOptions = false,
    subcommands = {
      DemoCommand.class,
      CompileCommand.class,
      ReportCommand.class,
      RunCommand.class,
      LogitsCommand.class,
      PerplexityCommand.class,
      BenchCommand.class,
      QuantizeCommand.class,
      SynthCommand.class,
      TokenizeCommand.class,
      SpecsCommand.class,
      DevicesCommand.class,
      CompletionCommand.class
    },
    footer = {
      "",
      "Exit codes: 0 done, 1 the work failed, 2 wrong usage, 3 the environment lacks something."
    })
public final class Main implements Runnable {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-v", "--verbose"},
      scope = ScopeType.INHERIT,
      description = "say more; after a fault of heddle, show the place in the code")
  private boolean isVerbose;

  @Option(
      names = {"-q", "--quiet"},
      scope = ScopeType.INHERIT,
      description = "print results only")
  private boolean isQuiet;

  /** Runs one command and ends the process with its exit code. */
  public static void main(String[] args) {
    System.exit(run(Terminal.ofSystem(), args));
  }

  /** Runs one command, printing to {@code terminal}; gives the exit code. */
  public static int run(Terminal terminal, String... args) {
    return commandLine(terminal).execute(args);
  }

  /** The tree of commands. */
  static CommandLine commandLine(Terminal terminal) {
    CommandLine commandLine = new CommandLine(Main.class, new Factory(terminal));
    Errors errors = new Errors(terminal);
    return commandLine
        .setOut(new java.io.PrintWriter(terminal.out(), true))
        .setErr(new java.io.PrintWriter(terminal.err(), true))
        .setColorScheme(
            CommandLine.Help.defaultColorScheme(
                terminal.hasColour() ? CommandLine.Help.Ansi.ON : CommandLine.Help.Ansi.OFF))
        .setExecutionExceptionHandler(errors)
        .setParameterExceptionHandler(errors)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setUsageHelpLongOptionsMaxWidth(34);
  }

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "Missing a command: try heddle demo");
  }

  /** What -q and -v say, for commands. */
  boolean isQuiet() {
    return isQuiet;
  }

  boolean isVerbose() {
    return isVerbose;
  }

  /** Gives the terminal to commands that want one. */
  private record Factory(Terminal terminal) implements CommandLine.IFactory {
    @Override
    public <K> K create(Class<K> type) throws Exception {
      try {
        return type.getDeclaredConstructor(Terminal.class).newInstance(terminal);
      } catch (NoSuchMethodException takesNone) {
        return CommandLine.defaultFactory().create(type);
      }
    }
  }
}
