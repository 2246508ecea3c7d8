package dev.heddle.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code ./heddle}, up to the point where it starts the JVM. */
class LauncherTest {
  private static final Path SCRIPT = Path.of("../heddle").toAbsolutePath().normalize();

  @TempDir Path folder;

  private record Run(int code, String out, String err) {}

  @Test
  void findsAJdkFromAnyFolderThroughLinks() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("h"), folder.relativize(SCRIPT));
    Run run = run(link, Map.of(), "--print-jdk");
    Files.delete(link);
    assertEquals(0, run.code(), run.err());
    assertTrue(Files.isExecutable(Path.of(run.out().strip(), "bin", "javac")), run.out());
  }

  @Test
  void passesOverAJavaHomeThatIsTooOld() throws Exception {
    Path old = folder.resolve("jdk-17");
    Files.createDirectories(old.resolve("bin"));
    for (String tool : List.of("java", "javac")) {
      executable(old.resolve("bin").resolve(tool), "#!/bin/sh\nexit 9\n");
    }
    Files.writeString(old.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"17.0.15\"\n");
    Run run = run(SCRIPT, Map.of("JAVA_HOME", old.toString()), "--print-jdk");
    assertEquals(0, run.code(), run.err());
    assertTrue(!run.out().contains("jdk-17"), run.out());
  }

  @Test
  void takesTheJavaHomeThatIsNewEnough() throws Exception {
    Path home = folder.resolve("jdk-26");
    Files.createDirectories(home.resolve("bin"));
    for (String tool : List.of("java", "javac")) {
      executable(home.resolve("bin").resolve(tool), "#!/bin/sh\nexit 9\n");
    }
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"26-ea\"\n");
    Run run = run(SCRIPT, Map.of("JAVA_HOME", home.toString()), "--print-jdk");
    assertEquals(home.toString(), run.out().strip());
  }

  @Test
  void saysInOneSentenceThatMavenIsMissing() throws Exception {
    Path tools = Files.createDirectories(folder.resolve("bin"));
    for (String tool : List.of("bash", "dirname", "readlink", "find", "head", "sed", "grep")) {
      for (String place : List.of("/usr/bin", "/bin")) {
        Path file = Path.of(place, tool);
        if (Files.exists(file) && !Files.exists(tools.resolve(tool))) {
          executable(tools.resolve(tool), "#!/bin/bash\nexec " + file + " \"$@\"\n");
        }
      }
    }
    Run run = run(SCRIPT, Map.of("PATH", tools.toString(), "HEDDLE_REBUILD", "1"), "--version");
    assertEquals(3, run.code());
    assertEquals(
        "heddle: not built yet, and building needs Maven, which is not on the PATH: install it (Debian: apt install maven; macOS: brew"
            + " install maven)\n",
        run.err());
  }

  private static void executable(Path file, String text) throws IOException {
    Files.writeString(file, text);
    assertTrue(file.toFile().setExecutable(true));
  }

  private Run run(Path script, Map<String, String> environment, String... args)
      throws IOException, InterruptedException {
    List<String> command = new java.util.ArrayList<>(List.of("/bin/bash", script.toString()));
    command.addAll(List.of(args));
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().putAll(environment);
    int code = builder.start().waitFor();
    return new Run(
        code,
        Files.readString(out, StandardCharsets.UTF_8),
        Files.readString(err, StandardCharsets.UTF_8));
  }
}
