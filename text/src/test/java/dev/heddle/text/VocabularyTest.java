package dev.heddle.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.heddle.gguf.GgufException;
import dev.heddle.gguf.GgufMetadata;
import dev.heddle.gguf.GgufValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class VocabularyTest {

  private final Map<String, GgufValue> values =
      new LinkedHashMap<>(
          Map.of(
              "general.architecture", GgufValue.text("qwen3"),
              "tokenizer.ggml.model", GgufValue.text("gpt2"),
              "tokenizer.ggml.tokens", GgufValue.texts(List.of("a", "b", "ab", "<|im_end|>")),
              "tokenizer.ggml.token_type", GgufValue.i32s(1, 1, 1, 3),
              "tokenizer.ggml.merges", GgufValue.texts(List.of("a b")),
              "tokenizer.ggml.eos_token_id", GgufValue.u32(3)));

  @Test
  void holdsWhatTheMetadataSay() {
    values.put("tokenizer.ggml.eot_token_id", GgufValue.u32(2));
    values.put("tokenizer.ggml.eom_token_id", GgufValue.u32(3));
    Vocabulary vocabulary = read();
    assertEquals(List.of("a", "b", "ab", "<|im_end|>"), vocabulary.tokens());
    assertEquals(
        List.of(TokenType.NORMAL, TokenType.NORMAL, TokenType.NORMAL, TokenType.CONTROL),
        vocabulary.types());
    assertEquals(List.of(3, 2), vocabulary.ends());
    assertEquals(OptionalInt.empty(), vocabulary.bos());
    assertEquals(Optional.empty(), vocabulary.pre());
  }

  @Test
  void takesTokensForNormalWhereTypesAreAbsent() {
    values.remove("tokenizer.ggml.token_type");
    assertEquals(TokenType.NORMAL, read().types().get(3));
  }

  @Test
  void refusesMetadataThatLackATokenizer() {
    values.remove("tokenizer.ggml.tokens");
    assertEquals(
        "m.gguf: metadata has no tokenizer.ggml.tokens; convert the model again with its tokenizer",
        refusal());
    values.remove("tokenizer.ggml.model");
    assertEquals(
        "m.gguf: metadata has no tokenizer.ggml.model, so text cannot become tokens; give token ids, or convert the model with its"
            + " tokenizer",
        refusal());
  }

  @Test
  void refusesTypesOfAnotherNumberThanTokens() {
    values.put("tokenizer.ggml.token_type", GgufValue.i32s(1, 1));
    assertEquals(
        "m.gguf: tokenizer.ggml.token_type has 2 entries for 4 tokens; convert the model again",
        refusal());
  }

  @Test
  void refusesUnknownTypes() {
    values.put("tokenizer.ggml.token_type", GgufValue.i32s(1, 1, 9, 1));
    assertEquals(
        "m.gguf: tokenizer.ggml.token_type says 9 for token 2, types are 1 to 6; convert the model again",
        refusal());
  }

  @Test
  void refusesIdsBeyondTheTokens() {
    values.put("tokenizer.ggml.bos_token_id", GgufValue.u32(4));
    assertEquals(
        "m.gguf: tokenizer.ggml.bos_token_id is 4, tokens are 0 to 3; convert the model again",
        refusal());
    values.put("tokenizer.ggml.eos_token_id", GgufValue.u32(0xFFFFFFFFL));
    assertEquals(
        "m.gguf: tokenizer.ggml.eos_token_id is 4294967295, tokens are 0 to 3; convert the model again",
        refusal());
  }

  private Vocabulary read() {
    return Vocabulary.of("m.gguf", new GgufMetadata("m.gguf", values));
  }

  private String refusal() {
    return assertThrows(GgufException.class, this::read).getMessage();
  }
}
