package dev.heddle.gguf;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The smallest byte-level vocabulary that any text can be written in: a token for each byte, the
 * end-of-text token, then {@code [PAD n]} entries up to the wanted size. Synthetic models carry it,
 * so that every tool that needs a tokenizer loads them.
 */
final class ByteVocabulary {
  private static final int BYTES = 256;
  private static final int NORMAL = 1;
  private static final int CONTROL = 3;
  private static final int UNUSED = 5;

  private ByteVocabulary() {}

  /**
   * The metadata {@code tokenizer.ggml.*}.
   *
   * @param size the number of tokens, at least 257
   * @param pre the pre-tokenizer's name in GGUF: {@code llama-bpe}, {@code qwen2}, {@code qwen35}
   */
  static Map<String, GgufValue> metadata(int size, String pre) {
    if (size <= BYTES) {
      throw new IllegalArgumentException(
          "a vocabulary of " + size + " tokens cannot hold 256 bytes and an end of text");
    }
    List<String> tokens = new ArrayList<>(size);
    long[] types = new long[size];
    int free = BYTES;
    for (int b = 0; b < BYTES; b++) {
      // Bytes that print in Latin-1 stand for themselves, the others for the letters from U+0100
      // on, in order.
      boolean isPrintable = b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae;
      tokens.add(Character.toString(isPrintable ? b : free++));
      types[b] = NORMAL;
    }
    tokens.add("<|endoftext|>");
    types[BYTES] = CONTROL;
    for (int i = BYTES + 1; i < size; i++) {
      tokens.add("[PAD " + i + "]");
      types[i] = UNUSED;
    }
    Map<String, GgufValue> metadata = new LinkedHashMap<>();
    metadata.put("tokenizer.ggml.model", GgufValue.text("gpt2"));
    metadata.put("tokenizer.ggml.pre", GgufValue.text(pre));
    metadata.put("tokenizer.ggml.tokens", GgufValue.texts(List.copyOf(tokens)));
    metadata.put("tokenizer.ggml.token_type", GgufValue.i32s(types));
    metadata.put("tokenizer.ggml.merges", GgufValue.texts(List.of()));
    metadata.put("tokenizer.ggml.bos_token_id", GgufValue.u32(BYTES));
    metadata.put("tokenizer.ggml.eos_token_id", GgufValue.u32(BYTES));
    metadata.put("tokenizer.ggml.padding_token_id", GgufValue.u32(BYTES));
    metadata.put("tokenizer.ggml.add_bos_token", GgufValue.bool(false));
    return metadata;
  }
}
