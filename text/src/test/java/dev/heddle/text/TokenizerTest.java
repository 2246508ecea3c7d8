package dev.heddle.text;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.gguf.GgufException;
import java.util.List;
import org.junit.jupiter.api.Test;

class TokenizerTest {

  private static SmallVocabulary chat() {
    return new SmallVocabulary()
        .merge("h", "i")
        .token("<|im_start|>", TokenType.CONTROL)
        .token("<|im_end|>", TokenType.CONTROL)
        .token("<think>", TokenType.USER_DEFINED)
        .token("<think><think>", TokenType.USER_DEFINED)
        .token("<|endoftext|>", TokenType.CONTROL);
  }

  @Test
  void recognisesControlTokensOnlyInTrustedText() {
    Tokenizer tokenizer = chat().tokenizer();
    assertArrayEquals(
        new int[] {257, 256, 258}, tokenizer.encode("<|im_start|>hi<|im_end|>", true, false));
    assertEquals(
        "<|im_start|>hi<|im_end|>".length() - 1,
        tokenizer.encode("<|im_start|>hi<|im_end|>", false, false).length);
  }

  @Test
  void recognisesUserDefinedTokensInAnyTextLongestFirst() {
    Tokenizer tokenizer = chat().tokenizer();
    assertArrayEquals(new int[] {256, 259, 256}, tokenizer.encode("hi<think>hi", false, false));
    assertArrayEquals(new int[] {260, 259}, tokenizer.encode("<think><think><think>", true, false));
  }

  @Test
  void composesTextForQwenButNotOnRequestAndNotForLlama() {
    int[] composed = {0xC3, 0xA9};
    int[] decomposed = {'e', 0xCC, 0x81};
    assertArrayEquals(composed, chat().tokenizer().encode("e\u0301", true, false));
    assertArrayEquals(
        decomposed, chat().tokenizer().withoutComposition().encode("e\u0301", true, false));
    assertArrayEquals(
        decomposed, chat().pre("llama-bpe").tokenizer().encode("e\u0301", true, false));
  }

  @Test
  void llamaPrefersAWholePieceToItsMergesAndQwenDoesNot() {
    // "abc" is an entry that the merges never reach: b and c merge first.
    SmallVocabulary vocabulary =
        new SmallVocabulary().merge("b", "c").token("abc", TokenType.NORMAL);
    assertArrayEquals(
        new int[] {257}, vocabulary.pre("llama-bpe").tokenizer().encode("abc", true, false));
    assertArrayEquals(
        new int[] {'a', 256}, vocabulary.pre("qwen2").tokenizer().encode("abc", true, false));
  }

  @Test
  void llamaDoesNotTakeAWholePieceForAControlToken() {
    SmallVocabulary vocabulary =
        new SmallVocabulary().merge("b", "c").token("abc", TokenType.CONTROL).pre("llama-bpe");
    assertArrayEquals(new int[] {'a', 256}, vocabulary.tokenizer().encode("abc", false, false));
  }

  @Test
  void addsBosWhereTheFileOrTheFamilySaysSoButNeverTwice() {
    assertArrayEquals(
        new int[] {257, 'x'}, chat().bos(257).addBos(true).tokenizer().encode("x", true, true));
    assertArrayEquals(
        new int[] {257, 'x'},
        chat().bos(257).addBos(true).tokenizer().encode("<|im_start|>x", true, true));
    assertArrayEquals(
        new int[] {'x'}, chat().bos(257).addBos(true).tokenizer().encode("x", true, false));
    assertArrayEquals(new int[] {'x'}, chat().bos(257).tokenizer().encode("x", true, true));
    assertArrayEquals(
        new int[] {257, 'x'}, chat().bos(257).pre("llama-bpe").tokenizer().encode("x", true, true));
    assertArrayEquals(
        new int[] {'x'},
        chat().bos(257).pre("llama-bpe").addBos(false).tokenizer().encode("x", true, true));
    assertArrayEquals(
        new int[] {257}, chat().bos(257).addBos(true).tokenizer().encode("", true, true));
  }

  @Test
  void stopsAtEveryEndThatTheFileOrTheSpellingNames() {
    Tokenizer tokenizer = chat().ends(258).tokenizer();
    assertArrayEquals(new int[] {258, 261}, tokenizer.stopIds());
    assertTrue(tokenizer.isStop(261));
    assertFalse(tokenizer.isStop(257));
    assertFalse(tokenizer.isStop(-1));
    Tokenizer llama =
        new SmallVocabulary()
            .merge("a", "b")
            .token("<|eot_id|>", TokenType.CONTROL)
            .token("<|end_of_text|>", TokenType.CONTROL)
            .token("<|eom_id|>", TokenType.CONTROL)
            .pre("llama-bpe")
            .ends(257)
            .tokenizer();
    assertArrayEquals(new int[] {257, 258, 259}, llama.stopIds());
  }

  @Test
  void namesTheRowsThatNobodyMaySample() {
    Tokenizer tokenizer =
        chat()
            .token("[PAD262]", TokenType.NORMAL)
            .token("[PAD 263]", TokenType.UNUSED)
            .token("spare", TokenType.UNUSED)
            .token("[PADDED]", TokenType.NORMAL)
            .tokenizer();
    assertEquals("{262, 263, 264, 266, 267, 268, 269}", tokenizer.neverSample(270).toString());
    assertEquals("{262, 263, 264}", tokenizer.neverSample(266).toString());
  }

  @Test
  void padsOfGoldenModelsAreNeverSampled() {
    Tokenizer tokenizer = TestData.golden("qwen2");
    assertEquals(512 - 461, tokenizer.neverSample(512).cardinality());
    assertEquals(461, tokenizer.neverSample(512).nextSetBit(0));
  }

  @Test
  void writesHalfASurrogatePairAsAReplacementCharacter() {
    Tokenizer tokenizer = chat().tokenizer();
    assertEquals(
        "a\uFFFDb\uFFFD", tokenizer.decode(tokenizer.encode("a\uD83Eb\uDD8A", true, false), true));
    assertEquals(
        "\uD83E\uDD8A", tokenizer.decode(tokenizer.encode("\uD83E\uDD8A", true, false), true));
  }

  @Test
  void splitsByTheArchitecturesRuleAndWarnsWhereTheFileDoesNotSay() {
    Tokenizer qwen = chat().pre(null).tokenizer();
    assertEquals(PreTokenizer.QWEN2, qwen.preTokenizer());
    assertEquals(
        List.of(
            "small.gguf: tokenizer.ggml.pre is absent, so the file does not say how to split text; 'qwen2' is used, as its architecture"
                + " and tokens suggest; a fresh conversion of the model would settle it"),
        qwen.warnings());
    assertEquals(
        PreTokenizer.QWEN35,
        chat().architecture("qwen35moe").pre("default").tokenizer().preTokenizer());
    Tokenizer llama =
        chat()
            .token("<|begin_of_text|>", TokenType.CONTROL)
            .architecture("llama")
            .pre("default")
            .tokenizer();
    assertEquals(PreTokenizer.LLAMA_BPE, llama.preTokenizer());
    assertEquals(List.of(), chat().tokenizer().warnings());
  }

  @Test
  void refusesOtherKindsInASentenceThatNamesTheSupportedOnes() {
    assertEquals(
        "small.gguf: its tokenizer is of kind 'llama', which is not supported yet; supported is byte-level BPE ('gpt2') with"
            + " tokenizer.ggml.pre = llama-bpe, llama3, llama-v3, qwen2, deepseek-r1-qwen, qwen35; give token ids instead of text, or take"
            + " a model with such a tokenizer",
        refusal(chat().model("llama")));
    String tekken =
        "small.gguf: its tokenizer splits text by tokenizer.ggml.pre = 'tekken', which is not supported yet; supported are"
            + " llama-bpe, llama3, llama-v3, qwen2, deepseek-r1-qwen, qwen35; give token ids instead of text, or take a model with such a"
            + " tokenizer";
    assertEquals(tekken, refusal(chat().pre("tekken")));
    assertEquals(
        tekken.replace("tekken", "default"), refusal(chat().architecture("llama").pre(null)));
  }

  @Test
  void refusesMergesThatContradictTheTokens() {
    assertEquals(
        "small.gguf: metadata has no tokenizer.ggml.merges, which a 'gpt2' tokenizer needs; convert the model again",
        refusal(new SmallVocabulary()));
    assertEquals(
        "small.gguf: entry 1 of tokenizer.ggml.merges is no pair parted by a space; convert the model again",
        refusal(new SmallVocabulary().merge("a", "b").onlyMerge("ab")));
    assertEquals(
        "small.gguf: entry 0 of tokenizer.ggml.merges names a token that tokenizer.ggml.tokens lacks; convert the model again",
        refusal(new SmallVocabulary().onlyMerge("a b")));
  }

  @Test
  void namesTheByteThatAVocabularyCannotSpell() {
    Tokenizer tokenizer =
        new SmallVocabulary().merge("a", "b").withoutToken(0xC3, "other").tokenizer();
    assertArrayEquals(new int[] {256}, tokenizer.encode("ab", true, false));
    GgufException e =
        assertThrows(GgufException.class, () -> tokenizer.encode("\u00e9", true, false));
    assertEquals(
        "small.gguf: its tokenizer has no token for the byte 0xC3, which this text holds; take that character out of the text",
        e.getMessage());
  }

  @Test
  void refusesIdsOutsideTheVocabulary() {
    Tokenizer tokenizer = new SmallVocabulary().merge("a", "b").tokenizer();
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> tokenizer.decode(new int[] {257}, true));
    assertEquals("token 257 is not in the vocabulary, whose ids are 0 to 256", e.getMessage());
  }

  private static String refusal(SmallVocabulary vocabulary) {
    return assertThrows(GgufException.class, vocabulary::tokenizer).getMessage();
  }
}
