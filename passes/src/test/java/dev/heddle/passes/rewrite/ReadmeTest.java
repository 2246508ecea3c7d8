package dev.heddle.passes.rewrite;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadmeTest {
  @Test
  void everyMethodOfARuleIsExplained() throws Exception {
    String text = Files.readString(Path.of("README.md"));
    List<String> missing =
        Arrays.stream(Rule.class.getDeclaredMethods())
            .map(m -> m.getName())
            .filter(name ->
                !List.of("name", "reason").contains(name) && !text.contains("`" + name + "("))
            .toList();
    assertEquals(List.of(), missing);
  }
}
