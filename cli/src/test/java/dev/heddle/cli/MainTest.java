package dev.heddle.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.EnvironmentException;
import dev.heddle.ir.HeddleBug;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class MainTest {
  @Test
  void aMissingCommandIsWrongUsage() {
    CommandRun run = CommandRun.of();
    assertEquals(2, run.code());
    assertEquals("missing a command: try heddle demo", run.sentence());
  }

  @Test
  void anUnknownOptionIsNamed() {
    CommandRun run = CommandRun.of("devices", "--jsom");
    assertEquals(2, run.code());
    assertEquals("unknown option: '--jsom'", run.sentence());
    assertTrue(run.err().endsWith("see: heddle devices --help\n"), run.err());
  }

  @Test
  void everyCommandExplainsItself() {
    for (CommandLine command :
        Main.commandLine(Terminal.plain(System.out, System.err)).getSubcommands().values()) {
      CommandRun run = CommandRun.of(command.getCommandName(), "--help");
      assertEquals(0, run.code());
      assertTrue(run.out().startsWith("Usage: heddle " + command.getCommandName()), run.out());
    }
  }

  @Test
  void completionKnowsEveryCommand() {
    CommandRun run = CommandRun.of("completion");
    assertEquals(0, run.code());
    for (String name :
        Main.commandLine(Terminal.plain(System.out, System.err)).getSubcommands().keySet()) {
      assertTrue(run.out().contains("_picocli_heddle_" + name), name);
    }
  }

  @Test
  void theVersionIsTheBuilds() throws Exception {
    String pom = Files.readString(Path.of("pom.xml"));
    assertTrue(pom.contains("<version>" + Version.HEDDLE + "</version>"), Version.HEDDLE);
  }

  @Test
  void failuresAreOneSentenceAndACode() {
    assertReport(
        3,
        "no clang: apt install clang-19\n",
        new EnvironmentException("no clang: apt install clang-19"),
        false);
    assertReport(
        2,
        "no spec 'lama': did you mean llama?\n",
        new UsageException("no spec 'lama': did you mean llama?"),
        false);
    assertReport(1, "x.gguf: no such file\n", new NoSuchFileException("x.gguf"), false);
  }

  @Test
  void aFaultOfHeddleShowsItsPlaceOnlyWhenAsked() {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code = new Errors(terminal(err)).report(new HeddleBug("a plan without steps"), true);
    assertEquals(1, code);
    String text = err.toString(StandardCharsets.UTF_8);
    assertTrue(text.startsWith("a plan without steps (this is a fault of heddle"), text);
    assertTrue(text.contains("at dev.heddle.cli.MainTest"), text);
    err.reset();
    new Errors(terminal(err)).report(new HeddleBug("a plan without steps"), false);
    assertTrue(!err.toString(StandardCharsets.UTF_8).contains("at dev.heddle"));
  }

  private static void assertReport(int code, String text, Throwable failure, boolean isVerbose) {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    assertEquals(code, new Errors(terminal(err)).report(failure, isVerbose));
    assertEquals(text, err.toString(StandardCharsets.UTF_8));
  }

  private static Terminal terminal(ByteArrayOutputStream err) {
    return Terminal.plain(System.out, new PrintStream(err, true, StandardCharsets.UTF_8));
  }
}
