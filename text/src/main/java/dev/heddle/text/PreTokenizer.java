package dev.heddle.text;

import dev.heddle.gguf.GgufException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How text is cut into the pieces inside which tokens are merged: {@code tokenizer.ggml.pre}.
 *
 * <p>The expressions are those of the published tokenizers, with contractions written as pairs of
 * cases: under a case-insensitive flag with Unicode folding, U+017F (long s) would count as an s.
 * White space is Unicode's, as in the published tokenizers.
 */
public enum PreTokenizer {
  /**
   * Llama 3: digits in threes; a piece that is a token as a whole is that token, whatever merges
   * say.
   */
  LLAMA_BPE(
      "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*",
      false,
      true,
      "llama-bpe",
      "llama3",
      "llama-v3"),
  /** Qwen 2, Qwen 3: single digits, text in normal form C. */
  QWEN2(
      "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*",
      true,
      false,
      "qwen2",
      "deepseek-r1-qwen"),
  /** Qwen 3.5: as Qwen 2, but combining marks belong to words. */
  QWEN35(
      "[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*",
      true,
      false,
      "qwen35");

  private static final String CONTRACTIONS =
      "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])";
  private static final String WHITE_SPACE = "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

  /** What old converters wrote when they did not know the rule. */
  private static final String UNSTATED = "default";

  private final Pattern pattern;
  private final boolean composes;
  private final boolean prefersWholePieces;
  private final List<String> names;

  PreTokenizer(String words, boolean composes, boolean prefersWholePieces, String... names) {
    this.pattern =
        Pattern.compile(
            CONTRACTIONS + "|" + words + "|" + WHITE_SPACE, Pattern.UNICODE_CHARACTER_CLASS);
    this.composes = composes;
    this.prefersWholePieces = prefersWholePieces;
    this.names = List.of(names);
  }

  /** The pre-tokenizer of this name in {@code tokenizer.ggml.pre}. */
  public static Optional<PreTokenizer> of(String name) {
    return Arrays.stream(values()).filter(p -> p.names.contains(name)).findFirst();
  }

  /**
   * The pre-tokenizer that a vocabulary asks for, or, where it does not say, the one that its
   * architecture and tokens suggest ({@link #warning} then has a sentence); a {@link GgufException}
   * if it asks for another or nothing suggests one.
   */
  static PreTokenizer of(Vocabulary vocabulary) {
    String pre = vocabulary.pre().orElse(UNSTATED);
    if (!pre.equals(UNSTATED)) {
      return of(pre).orElseThrow(() -> unsupported(vocabulary, pre));
    }
    String architecture = vocabulary.architecture();
    if (architecture.startsWith("qwen35")) {
      return QWEN35;
    }
    if (architecture.startsWith("qwen")) {
      return QWEN2;
    }
    if (vocabulary.tokens().contains("<|begin_of_text|>")) {
      return LLAMA_BPE;
    }
    throw unsupported(vocabulary, pre);
  }

  /** What to tell the user if this was chosen without the file's word. */
  Optional<String> warning(Vocabulary vocabulary) {
    if (!vocabulary.pre().orElse(UNSTATED).equals(UNSTATED)) {
      return Optional.empty();
    }
    String stated = vocabulary.pre().isPresent() ? "says 'default'" : "is absent";
    return Optional.of(
        vocabulary.source()
            + ": tokenizer.ggml.pre "
            + stated
            + ", so the file does not say how to split text; '"
            + ggufName()
            + "' is used, as its architecture and tokens suggest; a fresh conversion of the model would settle it");
  }

  private static GgufException unsupported(Vocabulary vocabulary, String pre) {
    return new GgufException(
        vocabulary.source()
            + ": its tokenizer splits text by tokenizer.ggml.pre = '"
            + pre
            + "', which is not supported yet; supported are "
            + knownNames()
            + "; give token ids instead of text, or take a model with such a tokenizer");
  }

  /** All names, for messages. */
  static String knownNames() {
    return Arrays.stream(values()).flatMap(p -> p.names.stream()).collect(Collectors.joining(", "));
  }

  /** The first of its names. */
  public String ggufName() {
    return names.getFirst();
  }

  /** True if text is brought to Unicode's normal form C first. */
  public boolean composes() {
    return composes;
  }

  /** True if a piece that is a vocabulary entry becomes that token without merging. */
  public boolean prefersWholePieces() {
    return prefersWholePieces;
  }

  /** Gives the pieces of {@code text} in order; together they are the text. */
  void split(String text, Consumer<String> pieces) {
    Matcher matcher = pattern.matcher(text);
    int end = 0;
    while (matcher.find()) {
      if (matcher.start() > end) {
        pieces.accept(text.substring(end, matcher.start()));
      }
      pieces.accept(matcher.group());
      end = matcher.end();
    }
    if (end < text.length()) {
      pieces.accept(text.substring(end));
    }
  }
}
