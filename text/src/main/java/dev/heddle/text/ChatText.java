package dev.heddle.text;

import java.util.BitSet;
import java.util.Objects;

/**
 * A conversation written out by a template, with a note of who wrote what: control tokens count in
 * the template's own words only, so that a message which spells {@code <|im_end|>} cannot end its
 * turn.
 */
public final class ChatText {
  private final String text;
  private final BitSet content;

  private ChatText(String text, BitSet content) {
    this.text = text;
    this.content = content;
  }

  /** The whole text. */
  public String text() {
    return text;
  }

  /**
   * Which chars of the text came from messages; for readers in this package that do not change it.
   */
  BitSet content() {
    return content;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ChatText that && text.equals(that.text) && content.equals(that.content);
  }

  @Override
  public int hashCode() {
    return Objects.hash(text, content);
  }

  @Override
  public String toString() {
    return text;
  }

  /** Puts a text together from start to end. */
  public static final class Builder {
    private final StringBuilder text = new StringBuilder();
    private final BitSet content = new BitSet();

    /** Appends the template's own words, in which control tokens count. */
    public Builder markup(String words) {
      text.append(words);
      return this;
    }

    /** Appends words of a message, in which they do not. */
    public Builder content(String words) {
      content.set(text.length(), text.length() + words.length());
      text.append(words);
      return this;
    }

    /** What was put together so far. */
    public ChatText build() {
      return new ChatText(text.toString(), (BitSet) content.clone());
    }
  }
}
