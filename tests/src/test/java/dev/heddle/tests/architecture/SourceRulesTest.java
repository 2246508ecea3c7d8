package dev.heddle.tests.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules over the source text that no compiler checks. */
class SourceRulesTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  /** Longer files with the reason why they are one. */
  private static final Map<String, String> MAY_BE_LONGER =
      Map.of(
          "ShapeInference.java", "one switch over all ops: javac names it when an op is added",
          "ElementwiseTest.java", "one table of values for all elementwise functions");

  @Test
  void everyPackageSaysWhatLivesThere() throws IOException {
    Set<String> wrong = new TreeSet<>();
    for (Path file : sources(p -> p.toString().contains("/src/main/java/"))) {
      if (!Files.exists(file.resolveSibling("package-info.java"))) {
        wrong.add(ROOT.relativize(file.getParent()).toString());
      }
    }
    assertEquals(Set.of(), wrong);
  }

  @Test
  void noFileIsLongerThan500Lines() throws IOException {
    Set<String> wrong = new TreeSet<>();
    for (Path file : sources(p -> true)) {
      try (Stream<String> lines = Files.lines(file)) {
        long count = lines.count();
        if (count > 500 && !MAY_BE_LONGER.containsKey(file.getFileName().toString())) {
          wrong.add(ROOT.relativize(file) + ": " + count + " lines");
        }
      }
    }
    assertEquals(Set.of(), wrong);
  }

  @Test
  void nothingIsLeftForLater() throws IOException {
    List<String> marks = List.of("TO" + "DO", "FIX" + "ME", "@Dis" + "abled", "XX" + "X:");
    Set<String> wrong = new TreeSet<>();
    for (Path file : sources(p -> true)) {
      String text = Files.readString(file, StandardCharsets.UTF_8);
      marks.stream()
          .filter(text::contains)
          .forEach(mark -> wrong.add(ROOT.relativize(file) + ": " + mark));
    }
    assertEquals(Set.of(), wrong);
  }

  /** Every tracked Java file; generated ones lie in the target folders of modules. */
  private static List<Path> sources(Predicate<Path> wanted) throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(p ->
              p.toString().endsWith(".java")
                  && !ROOT.relativize(p).toString().matches("[a-z-]+/target/.*"))
          .filter(wanted)
          .sorted()
          .toList();
    }
  }
}
