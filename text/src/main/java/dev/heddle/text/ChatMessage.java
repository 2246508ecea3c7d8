package dev.heddle.text;

import java.util.Objects;

/**
 * One turn of a conversation.
 *
 * @param role {@code system}, {@code user} or {@code assistant}
 * @param content its text
 */
public record ChatMessage(String role, String content) {
  public ChatMessage {
    Objects.requireNonNull(role, "role");
    Objects.requireNonNull(content, "content");
  }
}
