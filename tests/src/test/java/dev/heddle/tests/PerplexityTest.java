package dev.heddle.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.gguf.GgufFile;
import dev.heddle.runtime.Progress;
import dev.heddle.runtime.generate.Perplexity;
import dev.heddle.text.Tokenizer;
import dev.heddle.text.Vocabulary;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Perplexity of the held-out text, by the protocol of the references. */
class PerplexityTest {
  private static final int TOKENS = 10_310;
  private static final int SCORED = 10_289;

  @ParameterizedTest
  @CsvSource({"tiny-qwen3moe, 63.84293", "tiny-qwen3, 42.74746", "tiny-draft, 16.53487"})
  void exactPathIsWithinAThousandthOfTheReference(String name, double expected) throws IOException {
    Reference reference = Reference.read(name);
    assertEquals(expected, reference.perplexity(), 1e-9);
    Perplexity exact = measure(reference, "-int8-activations", "f32");
    assertEquals(SCORED, exact.scored());
    System.out.printf("%s: perplexity %.5f, reference %.5f%n", name, exact.value(), expected);
    assertEquals(expected, exact.value(), 1e-3 * expected);
  }

  @ParameterizedTest
  @CsvSource({"tiny-qwen3moe, 63.84293", "tiny-qwen3, 42.74746"})
  void int8ActivationsStayWithinTwoHundredthsOfTheExactPath(String name, double exact)
      throws IOException {
    Reference reference = Reference.read(name);
    Perplexity rounded = measure(reference, "+int8-activations", "f16");
    System.out.printf(
        "%s: perplexity with int8 activations and f16 caches %.5f, exact %.5f%n",
        name, rounded.value(), exact);
    assertEquals(exact, rounded.value(), 0.02 * exact);
    try (GgufFile gguf = GgufFile.open(reference.gguf())) {
      List<String> said = Chain.compile(gguf, "+int8-activations", "f16").manifest().arithmetic();
      assertEquals(1, said.size());
      assertTrue(said.getFirst().startsWith("int8-activations changes results"), said.getFirst());
    }
  }

  private static Perplexity measure(Reference reference, String passes, String kv)
      throws IOException {
    try (Engine engine = Engine.open(reference.gguf(), passes, kv, Reference.WINDOW, 1)) {
      String text = Files.readString(Reference.HELDOUT, StandardCharsets.UTF_8);
      int[] ids = Tokenizer.of(Vocabulary.of(engine.gguf())).encode(text, false, false);
      assertEquals(TOKENS, ids.length);
      return Perplexity.measure(engine.executor(), ids, Reference.WINDOW, Progress.NONE);
    }
  }
}
