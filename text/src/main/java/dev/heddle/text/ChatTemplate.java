package dev.heddle.text;

import dev.heddle.gguf.GgufException;
import java.util.List;

/**
 * How a model writes a conversation; {@link Tokenizer#encode(ChatText)} makes the ids of the
 * result.
 */
public interface ChatTemplate {

  /**
   * The conversation as the model was trained to read it.
   *
   * @param messages the turns, oldest first
   * @param addGenerationPrompt true to open the assistant's answer at the end
   */
  ChatText render(List<ChatMessage> messages, boolean addGenerationPrompt);

  /**
   * The template of the vocabulary's family, recognised by the markers in {@code
   * tokenizer.chat_template}; a {@link GgufException} if the file has none or one of another
   * family.
   */
  static ChatTemplate of(Vocabulary vocabulary) {
    String template =
        vocabulary
            .chatTemplate()
            .orElseThrow(() ->
                new GgufException(
                    vocabulary.source()
                        + ": metadata has no tokenizer.chat_template, so it is not made for conversations; use --prompt"));
    if (template.contains("<|im_start|>") && template.contains("<|im_end|>")) {
      return new ChatMl();
    }
    if (template.contains("<|start_header_id|>") && template.contains("<|eot_id|>")) {
      return Llama3Chat.of(template);
    }
    throw new GgufException(
        vocabulary.source()
            + ": its chat template is of a family that is not supported yet; supported are ChatML (<|im_start|>) and"
            + " Llama 3 (<|start_header_id|>); use --prompt with the markers written out");
  }
}
