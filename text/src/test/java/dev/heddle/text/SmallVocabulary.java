package dev.heddle.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Builds vocabularies for tests: the 256 bytes first (id = byte), then what is added, in order. */
final class SmallVocabulary {
  private final List<String> tokens = new ArrayList<>();
  private final List<TokenType> types = new ArrayList<>();
  private final List<String> merges = new ArrayList<>();
  private String architecture = "qwen3";
  private String model = "gpt2";
  private Optional<String> pre = Optional.of("qwen2");
  private OptionalInt bos = OptionalInt.empty();
  private Optional<Boolean> addBos = Optional.empty();
  private List<Integer> ends = List.of();
  private Optional<String> chatTemplate = Optional.empty();

  SmallVocabulary() {
    for (int b = 0; b < 256; b++) {
      token(String.valueOf(ByteAlphabet.letter(b)), TokenType.NORMAL);
    }
  }

  SmallVocabulary token(String spelling, TokenType type) {
    tokens.add(spelling);
    types.add(type);
    return this;
  }

  /** A merge and the token that it makes. */
  SmallVocabulary merge(String left, String right) {
    merges.add(left + ' ' + right);
    return tokens.contains(left + right) ? this : token(left + right, TokenType.NORMAL);
  }

  SmallVocabulary onlyMerge(String line) {
    merges.add(line);
    return this;
  }

  SmallVocabulary withoutToken(int id, String instead) {
    tokens.set(id, instead);
    return this;
  }

  SmallVocabulary architecture(String name) {
    architecture = name;
    return this;
  }

  SmallVocabulary model(String name) {
    model = name;
    return this;
  }

  SmallVocabulary pre(String name) {
    pre = Optional.ofNullable(name);
    return this;
  }

  SmallVocabulary bos(int id) {
    bos = OptionalInt.of(id);
    return this;
  }

  SmallVocabulary addBos(boolean add) {
    addBos = Optional.of(add);
    return this;
  }

  SmallVocabulary ends(Integer... ids) {
    ends = List.of(ids);
    return this;
  }

  SmallVocabulary chatTemplate(String template) {
    chatTemplate = Optional.of(template);
    return this;
  }

  Vocabulary vocabulary() {
    return new Vocabulary(
        "small.gguf",
        architecture,
        model,
        pre,
        tokens,
        types,
        merges,
        bos,
        ends,
        addBos,
        chatTemplate);
  }

  Tokenizer tokenizer() {
    return Tokenizer.of(vocabulary());
  }
}
