package dev.heddle.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * A command run inside this process.
 *
 * @param code its exit code
 * @param out what it printed
 * @param err what it complained about
 */
record CommandRun(int code, String out, String err) {
  static CommandRun of(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code =
        Main.run(
            Terminal.plain(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8)),
            args);
    return new CommandRun(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  /** The first line of {@code err}: the sentence. */
  String sentence() {
    return err.lines().findFirst().orElse("");
  }
}
