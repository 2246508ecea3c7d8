package dev.heddle.text;

import java.util.List;

/**
 * The header format of Llama 3: {@code <|start_header_id|>ROLE<|end_header_id|>}, an empty line,
 * the text, {@code <|eot_id|>}. The dates that later templates put into a system turn of their own
 * are left out.
 *
 * @param writesBos true if the text begins with {@code <|begin_of_text|>}
 * @param trims true if white space around contents is dropped
 */
record Llama3Chat(boolean writesBos, boolean trims) implements ChatTemplate {

  /** The variant that {@code template} is. */
  static Llama3Chat of(String template) {
    boolean writesBos = template.contains("bos_token") || template.contains("<|begin_of_text|>");
    return new Llama3Chat(writesBos, template.contains("| trim") || template.contains("|trim"));
  }

  @Override
  public ChatText render(List<ChatMessage> messages, boolean addGenerationPrompt) {
    ChatText.Builder chat = new ChatText.Builder().markup(writesBos ? "<|begin_of_text|>" : "");
    for (ChatMessage message : messages) {
      header(chat, message.role())
          .content(trims ? message.content().strip() : message.content())
          .markup("<|eot_id|>");
    }
    return (addGenerationPrompt ? header(chat, "assistant") : chat).build();
  }

  private static ChatText.Builder header(ChatText.Builder chat, String role) {
    return chat.markup("<|start_header_id|>").content(role).markup("<|end_header_id|>\n\n");
  }
}
