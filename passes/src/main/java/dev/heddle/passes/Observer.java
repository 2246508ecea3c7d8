package dev.heddle.passes;

import dev.heddle.ir.Graph;
import dev.heddle.ir.GraphText;
import dev.heddle.ir.Verifier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What happens between stages: the verifier runs, the text form is written.
 *
 * @param isVerifying checks the graph's rules and the legal ops after every stage
 * @param dump folder for the text form before the first and after each stage
 */
public record Observer(boolean isVerifying, Optional<Path> dump) {
  /** Sees nothing. */
  public static Observer none() {
    return new Observer(false, Optional.empty());
  }

  /** Verifies after every stage. */
  public static Observer verifying() {
    return new Observer(true, Optional.empty());
  }

  void start(Graph graph) {
    if (isVerifying) {
      Verifier.verify(graph);
    }
    write("00-spec.txt", graph, "");
  }

  void after(Stage stage, int number, Work work) {
    if (isVerifying) {
      LegalOps.check(stage, work.graph());
      Verifier.verify(work.graph());
    }
    if (dump.isPresent()) {
      write(String.format("%02d-%s.txt", number, stage.name()), work.graph(), PlanText.print(work));
    }
  }

  /** Writes the graph that a stage failed on, for a report of the fault. */
  String saved(Graph graph) {
    try {
      Path folder =
          dump.isPresent()
              ? Files.createDirectories(dump.get())
              : Path.of(System.getProperty("java.io.tmpdir"));
      Path file = Files.createTempFile(folder, "heddle-fault-", ".txt");
      Files.writeString(file, GraphText.print(graph));
      return "; the graph before it is in " + file;
    } catch (IOException e) {
      return "; the graph before it could not be written (" + e.getMessage() + ")";
    }
  }

  private void write(String name, Graph graph, String more) {
    if (dump.isEmpty()) {
      return;
    }
    try {
      Files.createDirectories(dump.get());
      Files.writeString(dump.get().resolve(name), GraphText.print(graph) + more);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot write the graph to " + dump.get() + ": " + e.getMessage(), e);
    }
  }
}
