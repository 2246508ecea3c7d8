package dev.heddle.text;

import java.util.List;

/** ChatML, the format of Qwen: {@code <|im_start|>ROLE}, a line feed, the text, {@code <|im_end|>}, a line feed. */
record ChatMl() implements ChatTemplate {

  @Override
  public String render(List<ChatMessage> messages, boolean addGenerationPrompt) {
    StringBuilder text = new StringBuilder();
    for (ChatMessage message : messages) {
      text.append("<|im_start|>").append(message.role()).append('\n').append(message.content()).append("<|im_end|>\n");
    }
    return addGenerationPrompt ? text.append("<|im_start|>assistant\n").toString() : text.toString();
  }
}
