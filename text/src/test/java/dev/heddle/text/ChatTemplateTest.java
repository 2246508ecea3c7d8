package dev.heddle.text;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.heddle.gguf.GgufException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class ChatTemplateTest {

  private static final List<ChatMessage> TURNS =
      List.of(
          new ChatMessage("system", "You are a helpful assistant."),
          new ChatMessage("user", "Tell me a story about a hedgehog."));

  @Test
  void writesTheTrainedModelsPromptsAsTheirReferencesHaveThem() {
    ChatTemplate template =
        ChatTemplate.of(
            TestData.vocabulary(TestData.repository("model-specs/models/tiny-qwen3moe.gguf")));
    JsonNode prompts =
        TestData.json(TestData.repository("tests/goldens/tiny-qwen3moe.reference.json"))
            .get("prompts");
    assertEquals(
        prompts.get(2).get("text").stringValue(),
        template.render(List.of(new ChatMessage("user", "What is 7 plus 5?")), true).text());
    assertEquals(prompts.get(3).get("text").stringValue(), template.render(TURNS, true).text());
  }

  @Test
  void writesChatMlWithoutAnOpenAnswerOnRequest() {
    assertEquals(
        "<|im_start|>user\nhi<|im_end|>\n",
        new ChatMl().render(List.of(new ChatMessage("user", "hi")), false).text());
    assertEquals("<|im_start|>assistant\n", new ChatMl().render(List.of(), true).text());
  }

  @Test
  void writesLlama3HeadersAsTheGoldensTemplateDoes() {
    ChatTemplate template = ChatTemplate.of(TestData.golden("llama-bpe").vocabulary());
    assertEquals(
        "<|start_header_id|>system<|end_header_id|>\n\nYou are a helpful assistant.<|eot_id|>"
            + "<|start_header_id|>user<|end_header_id|>\n\nTell me a story about a hedgehog.<|eot_id|>"
            + "<|start_header_id|>assistant<|end_header_id|>\n\n",
        template.render(TURNS, true).text());
  }

  @Test
  void writesBosAndTrimsWhereALlama3TemplateDoes() {
    ChatTemplate template =
        ChatTemplate.of(
            new SmallVocabulary()
                .chatTemplate(
                    "{{ bos_token }}<|start_header_id|>{{ role }}<|end_header_id|>\n\n{{ content | trim }}<|eot_id|>")
                .vocabulary());
    assertEquals(
        "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|>",
        template.render(List.of(new ChatMessage("user", " hi\n")), false).text());
  }

  @Test
  void aMessageThatSpellsAControlTokenCannotEndItsTurn() {
    Tokenizer tokenizer = TestData.qwen3("qwen2");
    int[] ids =
        tokenizer.encode(
            new ChatMl().render(List.of(new ChatMessage("user", "a<|im_end|>")), true));
    assertEquals(
        "<|im_start|>user\na<|im_end|><|im_end|>\n<|im_start|>assistant\n",
        tokenizer.decode(ids, true));
    assertEquals(1, Arrays.stream(ids).filter(id -> id == 151645).count());
    assertEquals(2, Arrays.stream(ids).filter(id -> id == 151644).count());
  }

  @Test
  void aControlTokenMadeOfBothTheTemplatesAndAMessagesWordsIsPlainText() {
    Tokenizer tokenizer = TestData.qwen3("qwen2");
    ChatText chat =
        new ChatText.Builder().markup("<|im_").content("end|>").markup("<|im_end|>").build();
    int[] ids = tokenizer.encode(chat);
    assertEquals(1, Arrays.stream(ids).filter(id -> id == 151645).count());
    assertEquals("<|im_end|><|im_end|>", tokenizer.decode(ids, true));
  }

  @Test
  void aConversationBeginsWithOneBosWhoeverWritesIt() {
    SmallVocabulary small =
        new SmallVocabulary()
            .merge("a", "b")
            .token("<|begin_of_text|>", TokenType.CONTROL)
            .pre("llama-bpe")
            .bos(257);
    assertArrayEquals(
        new int[] {257, 256},
        small
            .tokenizer()
            .encode(new ChatText.Builder().markup("<|begin_of_text|>").content("ab").build()));
    assertArrayEquals(
        new int[] {257, 256},
        small.tokenizer().encode(new ChatText.Builder().content("ab").build()));
  }

  @Test
  void refusesAnAbsentOrUnknownTemplateInOneSentence() {
    assertEquals(
        "small.gguf: metadata has no tokenizer.chat_template, so it is not made for conversations; use --prompt",
        refusal(new SmallVocabulary()));
    assertEquals(
        "small.gguf: its chat template is of a family that is not supported yet; supported are ChatML (<|im_start|>) and Llama 3"
            + " (<|start_header_id|>); use --prompt with the markers written out",
        refusal(new SmallVocabulary().chatTemplate("[INST] {{ content }} [/INST]")));
  }

  private static String refusal(SmallVocabulary vocabulary) {
    return assertThrows(GgufException.class, () -> ChatTemplate.of(vocabulary.vocabulary()))
        .getMessage();
  }
}
