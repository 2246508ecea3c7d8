package dev.heddle.compiler.spec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.heddle.gguf.GgufFile;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sound containers whose models contradict themselves. */
class BadFilesTest {
  private static final Path FOLDER = Path.of("src/test/resources/dev/heddle/compiler/spec/bad");

  private static ModelGraph compile(String name) {
    try (GgufFile file = GgufFile.open(FOLDER.resolve(name))) {
      return SpecCompiler.compile(
          SpecLibrary.require("llama"), new GgufFacts(file), CompileOptions.DEFAULT);
    }
  }

  @Test
  void soundFileCompiles() {
    assertEquals(1, compile("good.gguf").layers());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          18-shape-against-metadata.gguf | 'blk.0.attn_q.weight' is [8, 32] in 18-shape-against-metadata.gguf, this spec needs [E, H[l]*D] = [16, 16]
          22-block-count-lie.gguf | 22-block-count-lie.gguf has no tensor of block 1 ('blk.1.*'), but its metadata says that it has blocks 0 .. 1
          23-head-count-zero.gguf | 23-head-count-zero.gguf: H > 0 does not hold in layer 0: H = 0 ('llama.attention.head_count')
          """)
  void contradictionIsOneSentence(String name, String sentence) {
    SpecException e = assertThrows(SpecException.class, () -> compile(name));
    assertEquals(1, e.diagnostics().size(), e.getMessage());
    assertEquals(sentence, e.diagnostics().get(0).message());
  }
}
