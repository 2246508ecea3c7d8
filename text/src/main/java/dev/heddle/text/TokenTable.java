package dev.heddle.text;

import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The entries of a vocabulary by id and by spelling, and the bytes that they stand for. */
final class TokenTable {
  /**
   * Turn and sequence ends by spelling: files often name only one of them in their metadata, and
   * models write any.
   */
  private static final List<String> END_SPELLINGS =
      List.of("<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>");

  private static final Pattern PADDING = Pattern.compile("\\[PAD ?\\d+]");
  private static final Pattern ONE_BYTE = Pattern.compile("<0x[0-9A-Fa-f]{2}>");

  private final Vocabulary vocabulary;
  private final Map<String, Integer> ids;
  private final byte[][] bytes;

  TokenTable(Vocabulary vocabulary) {
    this.vocabulary = vocabulary;
    this.ids = idsBySpelling(vocabulary);
    this.bytes = new byte[vocabulary.tokens().size()][];
    for (int id = 0; id < bytes.length; id++) {
      bytes[id] = bytes(vocabulary.tokens().get(id), vocabulary.types().get(id));
    }
  }

  private static Map<String, Integer> idsBySpelling(Vocabulary vocabulary) {
    Map<String, Integer> ids = HashMap.newHashMap(vocabulary.tokens().size());
    // Of several entries with one spelling an ordinary one takes part in merges, then the first.
    for (boolean normal : new boolean[] {true, false}) {
      for (int id = 0; id < vocabulary.tokens().size(); id++) {
        if ((vocabulary.types().get(id) == TokenType.NORMAL) == normal) {
          ids.putIfAbsent(vocabulary.tokens().get(id), id);
        }
      }
    }
    return ids;
  }

  private static byte[] bytes(String token, TokenType type) {
    return switch (type) {
      case NORMAL -> ByteAlphabet.bytes(token);
      case BYTE ->
          ONE_BYTE.matcher(token).matches()
              ? new byte[] {(byte) Integer.parseInt(token.substring(3, 5), 16)}
              : token.getBytes(StandardCharsets.UTF_8);
      case CONTROL, USER_DEFINED, UNKNOWN, UNUSED -> token.getBytes(StandardCharsets.UTF_8);
    };
  }

  int size() {
    return bytes.length;
  }

  /** The id of a spelling, or null. */
  Integer id(String spelling) {
    return ids.get(spelling);
  }

  /** The ordinary token whose bytes these are, or -1. */
  int normalToken(byte[] piece) {
    Integer id = ids.get(ByteAlphabet.spell(piece));
    return id != null && vocabulary.types().get(id) == TokenType.NORMAL ? id : -1;
  }

  /** The token of each byte alone, or -1. */
  int[] byteTokens() {
    int[] tokens = new int[256];
    for (int b = 0; b < 256; b++) {
      tokens[b] = ids.getOrDefault(String.valueOf(ByteAlphabet.letter(b)), -1);
    }
    return tokens;
  }

  /** The bytes themselves: nobody changes them. */
  byte[] bytes(int id) {
    checkId(id);
    return bytes[id];
  }

  TokenType type(int id) {
    checkId(id);
    return vocabulary.types().get(id);
  }

  private void checkId(int id) {
    if (id < 0 || id >= bytes.length) {
      throw new IllegalArgumentException(
          "token " + id + " is not in the vocabulary, whose ids are 0 to " + (bytes.length - 1));
    }
  }

  /** The ids that end a sequence or a turn, by metadata or by spelling. */
  BitSet stops() {
    BitSet stops = new BitSet();
    vocabulary.ends().forEach(stops::set);
    for (int id = 0; id < bytes.length; id++) {
      if (vocabulary.types().get(id) == TokenType.CONTROL
          && END_SPELLINGS.contains(vocabulary.tokens().get(id))) {
        stops.set(id);
      }
    }
    return stops;
  }

  /** The ids that stand for nothing: padding by type or name. */
  BitSet padding() {
    BitSet padding = new BitSet();
    for (int id = 0; id < bytes.length; id++) {
      TokenType type = vocabulary.types().get(id);
      String token = vocabulary.tokens().get(id);
      boolean isNamedPadding = token.startsWith("[PAD") && PADDING.matcher(token).matches();
      if (type == TokenType.UNUSED || type == TokenType.NORMAL && isNamedPadding) {
        padding.set(id);
      }
    }
    return padding;
  }
}
