package dev.heddle.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Where a command prints.
 *
 * @param out results
 * @param err errors, progress and remarks
 * @param outIsTerminal a person reads {@code out}
 * @param errIsTerminal a person reads {@code err}: progress bars are welcome
 * @param hasColour escape sequences may be written to {@code out}
 */
public record Terminal(
    PrintStream out,
    PrintStream err,
    boolean outIsTerminal,
    boolean errIsTerminal,
    boolean hasColour) {

  /** The process's own streams, by what the launcher found out about them. */
  static Terminal ofSystem() {
    List<String> terminals = Arrays.asList(System.getProperty("heddle.terminals", "").split(","));
    String noColour = System.getenv("NO_COLOR");
    boolean out = terminals.contains("out");
    boolean colour =
        out && (noColour == null || noColour.isEmpty()) && !"dumb".equals(System.getenv("TERM"));
    return new Terminal(
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8),
        new PrintStream(new FileOutputStream(errDescriptor()), true, StandardCharsets.UTF_8),
        out,
        terminals.contains("err"),
        colour);
  }

  /** Streams into memory or files: no terminal, no colour. */
  public static Terminal plain(PrintStream out, PrintStream err) {
    return new Terminal(out, err, false, false, false);
  }

  /** {@code text} in bold where colour is wanted. */
  String bold(String text) {
    return hasColour ? "\u001b[1m" + text + "\u001b[0m" : text;
  }

  /** {@code text} dimmed where colour is wanted. */
  String dim(String text) {
    return hasColour ? "\u001b[2m" + text + "\u001b[0m" : text;
  }

  /**
   * The launcher keeps descriptor 2 for the JVM's own remarks (it filters the line about incubator
   * modules) and hands the true stderr over as another descriptor, which Java can only name by
   * reflection.
   */
  private static FileDescriptor errDescriptor() {
    Integer number = Integer.getInteger("heddle.stderr");
    if (number == null) {
      return FileDescriptor.err;
    }
    try {
      Constructor<FileDescriptor> constructor =
          FileDescriptor.class.getDeclaredConstructor(int.class);
      constructor.setAccessible(true);
      return constructor.newInstance(number);
    } catch (ReflectiveOperationException | RuntimeException notOpened) {
      // Another JVM or other flags: descriptor 2 serves, and costs only the filter's buffering.
      return FileDescriptor.err;
    }
  }
}
