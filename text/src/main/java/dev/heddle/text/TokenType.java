package dev.heddle.text;

import java.util.Optional;

/** What a vocabulary entry is, by its id in {@code tokenizer.ggml.token_type}. */
public enum TokenType {
  /** Ordinary text, spelled in the byte alphabet of {@link ByteAlphabet}. */
  NORMAL(1),
  /** The token for what the vocabulary cannot spell. */
  UNKNOWN(2),
  /**
   * Structure of a conversation: matched in text only if the caller trusts the text, hidden in
   * output.
   */
  CONTROL(3),
  /** Added to a trained vocabulary: matched in any text, shown in output. */
  USER_DEFINED(4),
  /** A padding row. */
  UNUSED(5),
  /** One byte, spelled {@code <0xAB>}. */
  BYTE(6);

  private final int id;

  TokenType(int id) {
    this.id = id;
  }

  /** The id in the file. */
  public int id() {
    return id;
  }

  /** The type with this id. */
  public static Optional<TokenType> of(long id) {
    return id >= 1 && id <= values().length
        ? Optional.of(values()[(int) id - 1])
        : Optional.empty();
  }
}
