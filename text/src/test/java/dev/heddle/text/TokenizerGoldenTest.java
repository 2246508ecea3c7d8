package dev.heddle.text;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.HexFormat;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Ids that other tokenizers gave for the same vocabularies. */
class TokenizerGoldenTest {

  @ParameterizedTest
  @ValueSource(strings = {"llama-bpe", "qwen2", "qwen35"})
  void smallVocabulariesGiveTheReferencesIdsAndTexts(String pre) {
    Tokenizer tokenizer = TestData.golden(pre);
    JsonNode cases = TestData.json("golden/cases.json").get(pre);
    assertEquals(26, cases.size());
    for (JsonNode c : cases) {
      int[] ids = TestData.ints(c.get("ids"));
      assertArrayEquals(
          ids, tokenizer.encode(c.get("text").stringValue(), true, false), c.toString());
      assertEquals(c.get("decoded").stringValue(), tokenizer.decode(ids, true), c.toString());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"llama-bpe", "qwen2", "qwen35"})
  void withoutCompositionTheIdsAreLlamaCpps(String pre) {
    Tokenizer tokenizer = TestData.golden(pre).withoutComposition();
    for (JsonNode c : TestData.json("golden/cases.json").get(pre)) {
      JsonNode expected = c.get("llama_cpp").isString() ? c.get("ids") : c.get("llama_cpp");
      assertArrayEquals(
          TestData.ints(expected),
          tokenizer.encode(c.get("text").stringValue(), true, false),
          c.toString());
    }
  }

  @ParameterizedTest
  @CsvSource({"qwen3.ids.json, qwen2", "qwen35_pre.ids.json, qwen35"})
  void qwen3sRealVocabularyGivesTheReferencesIds(String resource, String pre) {
    Tokenizer tokenizer = TestData.qwen3(pre);
    assertEquals(151_669, tokenizer.size());
    JsonNode cases = TestData.json(resource).get("cases");
    assertEquals(200, cases.size());
    for (JsonNode c : cases) {
      String text = c.get("text").stringValue();
      int[] ids = TestData.ints(c.get("ids"));
      assertArrayEquals(ids, tokenizer.encode(text, true, false), c.toString());
      assertEquals(
          Normalizer.normalize(text, Normalizer.Form.NFC),
          tokenizer.decode(ids, true),
          c.toString());
    }
  }

  @Test
  void tokensThatEndInsideACharacterHaveTheReferencesBytes() {
    Tokenizer tokenizer = TestData.qwen3("qwen2");
    int checked = 0;
    for (JsonNode c : TestData.json("qwen3.ids.json").get("cases")) {
      if (c.has("piece_bytes")) {
        checked++;
        int[] ids = TestData.ints(c.get("ids"));
        for (int i = 0; i < ids.length; i++) {
          assertEquals(
              c.get("piece_bytes").get(i).stringValue(),
              HexFormat.of().formatHex(tokenizer.bytes(ids[i])),
              c.toString());
        }
      }
    }
    assertEquals(36, checked);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tiny-qwen3", "tiny-draft", "tiny-qwen3moe"})
  void trainedModelsGiveTheReferencesIds(String model) {
    Tokenizer tokenizer =
        Tokenizer.of(
            TestData.vocabulary(TestData.repository("model-specs/models/" + model + ".gguf")));
    JsonNode prompts =
        TestData.json(TestData.repository("tests/goldens/" + model + ".reference.json"))
            .get("prompts");
    assertEquals(6, prompts.size());
    for (JsonNode prompt : prompts) {
      assertArrayEquals(
          TestData.ints(prompt.get("ids")),
          tokenizer.encode(prompt.get("text").stringValue(), true, true));
    }
    String heldOut =
        new String(
            TestData.bytes(TestData.repository("tests/goldens/heldout.txt")),
            StandardCharsets.UTF_8);
    int[] ids = tokenizer.encode(heldOut, false, false);
    assertEquals(10_310, ids.length);
    assertEquals(heldOut, tokenizer.decode(ids, false));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "llama-bias",
        "llama-rope3",
        "llama-zoo",
        "qwen3-q8",
        "qwen3-tied",
        "qwen3moe-e16k4",
        "qwen3moe-e8k2",
        "qwen3moe-q4km"
      })
  void goldenModelsTokenizersSpellAnyTextAndSamplePaddingNever(String model) {
    Tokenizer tokenizer =
        Tokenizer.of(TestData.vocabulary(TestData.repository("tests/goldens/" + model + ".gguf")));
    String text = "The weaver's 12 caf\u00e9s: \uD83E\uDD8A\n";
    assertEquals(text, tokenizer.decode(tokenizer.encode(text, false, false), false));
    assertEquals(285, tokenizer.neverSample(tokenizer.size() + 1).nextSetBit(0));
    assertEquals(
        tokenizer.size() + 1 - 285, tokenizer.neverSample(tokenizer.size() + 1).cardinality());
    assertArrayEquals(
        new int[0], IntStream.of(tokenizer.stopIds()).filter(id -> id < 280 || id > 284).toArray());
  }
}
