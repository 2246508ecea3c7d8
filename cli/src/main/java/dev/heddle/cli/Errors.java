package dev.heddle.cli;

import dev.heddle.compiler.spec.SpecException;
import dev.heddle.gguf.GgufException;
import dev.heddle.ir.EnvironmentException;
import dev.heddle.ir.GraphException;
import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.bundle.BundleException;
import dev.heddle.runtime.OutOfBlocksException;
import dev.heddle.runtime.StepException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;

/**
 * Failures as one sentence on stderr and an exit code. A stack trace is only shown for a fault of
 * heddle, and only with -v.
 */
final class Errors
    implements CommandLine.IExecutionExceptionHandler, CommandLine.IParameterExceptionHandler {
  static final int DONE = 0;
  static final int FAILED = 1;
  static final int USAGE = 2;
  static final int ENVIRONMENT = 3;

  private final Terminal terminal;

  Errors(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public int handleParseException(CommandLine.ParameterException exception, String[] args) {
    CommandLine command = exception.getCommandLine();
    terminal.err().println(sentence(exception.getMessage()));
    CommandLine.UnmatchedArgumentException.printSuggestions(exception, command.getErr());
    command.getErr().flush();
    terminal.err().println("see: " + command.getCommandSpec().qualifiedName() + " --help");
    return USAGE;
  }

  @Override
  public int handleExecutionException(
      Exception exception, CommandLine command, CommandLine.ParseResult parsed) {
    boolean isVerbose =
        parsed.expandedArgs().contains("-v") || parsed.expandedArgs().contains("--verbose");
    return report(exception, isVerbose);
  }

  /** Prints what went wrong and gives the exit code. */
  int report(Throwable failure, boolean isVerbose) {
    return switch (failure) {
      case UsageException e -> print(e.getMessage(), USAGE);
      case EnvironmentException e -> print(e.getMessage(), ENVIRONMENT);
      case NoSuchFileException e -> print(e.getFile() + ": no such file", FAILED);
      case AccessDeniedException e ->
          print(e.getFile() + ": access is denied: check its permissions", FAILED);
      case FileAlreadyExistsException e ->
          print(e.getFile() + ": exists already: remove it or choose another name", FAILED);
      case FileNotFoundException e -> print(e.getMessage(), FAILED);
      case IOException e ->
          print(e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage(), FAILED);
      case OutOfMemoryError e ->
          print(
              "out of memory ("
                  + e.getMessage()
                  + "): give the JVM more with HEDDLE_JAVA_OPTS=-Xmx8g, or lower --ctx",
              ENVIRONMENT);
      case HeddleBug e -> bug(e.getMessage(), e, isVerbose);
      default ->
          isForUsers(failure)
              ? print(failure.getMessage(), FAILED)
              : bug(
                  new HeddleBug(String.valueOf(failure), failure).getMessage(), failure, isVerbose);
    };
  }

  /** Exceptions of the modules below whose message is a sentence for users. */
  private static boolean isForUsers(Throwable failure) {
    return failure instanceof SpecException
        || failure instanceof GgufException
        || failure instanceof BundleException
        || failure instanceof GraphException
        || failure instanceof StepException
        || failure instanceof OutOfBlocksException
        || failure instanceof UncheckedIOException;
  }

  private int bug(String message, Throwable failure, boolean isVerbose) {
    terminal.err().println(message);
    if (isVerbose) {
      failure.printStackTrace(terminal.err());
    } else {
      terminal.err().println("run it again with -v for the place in the code");
    }
    return FAILED;
  }

  private int print(String message, int code) {
    terminal.err().println(message);
    return code;
  }

  private static String sentence(String message) {
    return message.isEmpty()
        ? message
        : Character.toLowerCase(message.charAt(0)) + message.substring(1);
  }
}
