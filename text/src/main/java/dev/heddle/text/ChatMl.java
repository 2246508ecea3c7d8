package dev.heddle.text;

import java.util.List;

/**
 * ChatML, the format of Qwen: {@code <|im_start|>ROLE}, a line feed, the text, {@code <|im_end|>},
 * a line feed.
 */
record ChatMl() implements ChatTemplate {

  @Override
  public ChatText render(List<ChatMessage> messages, boolean addGenerationPrompt) {
    ChatText.Builder chat = new ChatText.Builder();
    for (ChatMessage message : messages) {
      chat.markup("<|im_start|>")
          .content(message.role())
          .markup("\n")
          .content(message.content())
          .markup("<|im_end|>\n");
    }
    return (addGenerationPrompt ? chat.markup("<|im_start|>assistant\n") : chat).build();
  }
}
