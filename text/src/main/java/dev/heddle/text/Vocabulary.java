package dev.heddle.text;

import dev.heddle.gguf.GgufException;
import dev.heddle.gguf.GgufFile;
import dev.heddle.gguf.GgufMetadata;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A tokenizer as its file states it, checked for agreement with itself but not yet interpreted.
 *
 * @param source the file's name, for messages
 * @param architecture {@code general.architecture}
 * @param model {@code tokenizer.ggml.model}: {@code gpt2} is byte-level BPE
 * @param pre {@code tokenizer.ggml.pre}, if present
 * @param tokens the entries' spellings, by id
 * @param types the entries' types, by id
 * @param merges pairs of spellings, best first, each parted by the first space behind its first
 *     character
 * @param bos the id that begins a sequence, if any
 * @param ends the ids that end a sequence or a turn by metadata (eos, eot, eom), without duplicates
 * @param addBos {@code tokenizer.ggml.add_bos_token}, if present
 * @param chatTemplate {@code tokenizer.chat_template}, if present
 */
public record Vocabulary(
    String source,
    String architecture,
    String model,
    Optional<String> pre,
    List<String> tokens,
    List<TokenType> types,
    List<String> merges,
    OptionalInt bos,
    List<Integer> ends,
    Optional<Boolean> addBos,
    Optional<String> chatTemplate) {

  private static final List<String> END_KEYS =
      List.of(
          "tokenizer.ggml.eos_token_id",
          "tokenizer.ggml.eot_token_id",
          "tokenizer.ggml.eom_token_id");

  public Vocabulary {
    tokens = List.copyOf(tokens);
    types = List.copyOf(types);
    merges = List.copyOf(merges);
    ends = List.copyOf(ends);
    if (types.size() != tokens.size()) {
      throw new GgufException(
          source
              + ": tokenizer.ggml.token_type has "
              + types.size()
              + " entries for "
              + tokens.size()
              + " tokens; convert the model again");
    }
    if (bos.isPresent()) {
      checkId(source, "tokenizer.ggml.bos_token_id", bos.getAsInt(), tokens.size());
    }
    for (int end : ends) {
      checkId(source, "an end-of-sequence id", end, tokens.size());
    }
  }

  /**
   * The vocabulary of an open file; a {@link GgufException} if there is none or it contradicts
   * itself.
   */
  public static Vocabulary of(GgufFile file) {
    return of(file.path().toString(), file.metadata());
  }

  /** The vocabulary in {@code metadata}; {@code source} is the name for messages. */
  public static Vocabulary of(String source, GgufMetadata metadata) {
    String model =
        metadata
            .text("tokenizer.ggml.model")
            .orElseThrow(() ->
                new GgufException(
                    source
                        + ": metadata has no tokenizer.ggml.model, so text cannot become tokens; give token ids, or convert the model with"
                        + " its tokenizer"));
    List<String> tokens =
        metadata
            .texts("tokenizer.ggml.tokens")
            .orElseThrow(() ->
                new GgufException(
                    source
                        + ": metadata has no tokenizer.ggml.tokens; convert the model again with its tokenizer"));
    List<Integer> ends = new ArrayList<>();
    for (String key : END_KEYS) {
      id(source, metadata, key, tokens.size())
          .ifPresent(id -> {
            if (!ends.contains(id)) {
              ends.add(id);
            }
          });
    }
    return new Vocabulary(
        source,
        metadata.architecture(),
        model,
        metadata.text("tokenizer.ggml.pre"),
        tokens,
        types(source, metadata, tokens.size()),
        metadata.texts("tokenizer.ggml.merges").orElse(List.of()),
        id(source, metadata, "tokenizer.ggml.bos_token_id", tokens.size()),
        ends,
        metadata.bool("tokenizer.ggml.add_bos_token"),
        metadata.text("tokenizer.chat_template"));
  }

  private static List<TokenType> types(String source, GgufMetadata metadata, int tokens) {
    Optional<long[]> ids = metadata.integers("tokenizer.ggml.token_type");
    if (ids.isEmpty()) {
      return Collections.nCopies(tokens, TokenType.NORMAL);
    }
    List<TokenType> types = new ArrayList<>(ids.get().length);
    for (long id : ids.get()) {
      int at = types.size();
      types.add(
          TokenType.of(id)
              .orElseThrow(() ->
                  new GgufException(
                      source
                          + ": tokenizer.ggml.token_type says "
                          + id
                          + " for token "
                          + at
                          + ", types are 1 to 6; convert the model again")));
    }
    return types;
  }

  private static OptionalInt id(String source, GgufMetadata metadata, String key, int tokens) {
    Optional<Long> id = metadata.integer(key);
    if (id.isEmpty()) {
      return OptionalInt.empty();
    }
    checkId(source, key, id.get(), tokens);
    return OptionalInt.of((int) (long) id.get());
  }

  private static void checkId(String source, String key, long id, int tokens) {
    if (id < 0 || id >= tokens) {
      throw new GgufException(
          source
              + ": "
              + key
              + " is "
              + id
              + ", tokens are 0 to "
              + (tokens - 1)
              + "; convert the model again");
    }
  }
}
