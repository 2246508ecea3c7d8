package dev.heddle.codegen.tool;

import dev.heddle.ir.EnvironmentException;
import dev.heddle.ir.HeddleBug;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * A program on this machine.
 *
 * @param program its file
 */
public record Tool(Path program) {
  /**
   * What a run gave.
   *
   * @param status exit status
   */
  public record Output(int status, String out, String error) {}

  /**
   * The first of these names that is a program: each name first in {@code folders}, then in {@code
   * PATH}, then in {@code fallbacks}.
   *
   * @param environment the process's environment variables
   */
  public static Optional<Tool> find(
      Map<String, String> environment,
      List<Path> folders,
      List<String> names,
      List<Path> fallbacks) {
    List<Path> path =
        Stream.of(environment.getOrDefault("PATH", "").split(File.pathSeparator))
            .filter(s -> !s.isEmpty())
            .map(Path::of)
            .toList();
    return names.stream()
        .flatMap(name ->
            Stream.of(folders, path, fallbacks)
                .flatMap(List::stream)
                .map(folder -> folder.resolve(name)))
        .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
        .findFirst()
        .map(Tool::new);
  }

  /**
   * Runs the program and waits for it.
   *
   * @throws EnvironmentException if it cannot be started
   */
  public Output run(List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(program.toString());
    command.addAll(arguments);
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectInput(ProcessBuilder.Redirect.from(new File(nullFile())))
              .start();
      CompletableFuture<String> error =
          CompletableFuture.supplyAsync(() -> text(process.getErrorStream()));
      String out = text(process.getInputStream());
      return new Output(process.waitFor(), out, error.join());
    } catch (IOException e) {
      throw new EnvironmentException(
          program + " cannot be run: " + e.getMessage() + "; check its installation.", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EnvironmentException(program + " was interrupted; compile again.", e);
    }
  }

  /**
   * Refuses the output of a compile that failed.
   *
   * @throws HeddleBug with the first lines of the compiler's message: generated sources are
   *     heddle's own
   */
  public void require(Output output, List<String> arguments) {
    if (output.status() != 0) {
      String lines =
          (output.error() + output.out()).lines().limit(12).reduce("", (a, b) -> a + "\n  " + b);
      throw new HeddleBug(
          program
              + " "
              + String.join(" ", arguments)
              + " ended with status "
              + output.status()
              + ":"
              + lines
              + "\n");
    }
  }

  private static String nullFile() {
    return File.separatorChar == '/' ? "/dev/null" : "NUL";
  }

  private static String text(InputStream in) {
    try (in) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "(its output cannot be read: " + e.getMessage() + ")";
    }
  }
}
