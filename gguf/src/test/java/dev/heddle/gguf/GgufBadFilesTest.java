package dev.heddle.gguf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each file of resources/bad is good.gguf with one lie. */
class GgufBadFilesTest {
  private static final Path BAD = Path.of("src/test/resources/bad");

  @Test
  void readsTheHonestFile() {
    try (GgufFile file = GgufFile.open(BAD.resolve("good.gguf"))) {
      assertEquals(3, file.version());
      assertEquals("llama", file.metadata().architecture());
      assertEquals(12, file.tensors().size());
      assertEquals(9888, file.bytes());
    }
  }

  @ParameterizedTest
  @MethodSource("sentences")
  void refusesALieInOneSentence(String sentence) {
    String name = sentence.substring(0, sentence.indexOf(':'));
    GgufException e =
        assertThrows(GgufException.class, () -> GgufFile.open(BAD.resolve(name)).close());
    assertEquals(sentence, e.getMessage());
  }

  static List<String> sentences() throws IOException {
    List<String> sentences = Files.readAllLines(BAD.resolve("sentences.txt"));
    assertEquals(20, sentences.size());
    return sentences;
  }

  /**
   * A contradiction between metadata and tensors is the model's, not the container's: the compiler
   * refuses it.
   */
  @ParameterizedTest
  @CsvSource({
    "18-shape-against-metadata.gguf",
    "22-block-count-lie.gguf",
    "23-head-count-zero.gguf"
  })
  void opensASoundContainerOfAContradictoryModel(String name) {
    try (GgufFile file = GgufFile.open(BAD.resolve(name))) {
      assertTrue(
          file.tensors().size() == 12 || file.tensors().size() == 21, file.tensors().toString());
    }
  }
}
