package dev.heddle.text;

import dev.heddle.gguf.GgufException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Byte-level BPE: text to token ids and back.
 *
 * <p>Encoding goes: special tokens written in the text are cut out; what lies between is composed
 * (Qwen), split by the {@link PreTokenizer}, and merged inside each piece. A tokenizer is
 * immutable.
 */
public final class Tokenizer {
  private static final BitSet NOBODY = new BitSet(0);

  private final Vocabulary vocabulary;
  private final PreTokenizer preTokenizer;
  private final boolean composes;
  private final TokenTable tokens;
  private final MergeTable merges;
  private final SpecialTokens specials;
  private final int[] byteTokens;
  private final BitSet stops;

  private Tokenizer(
      Vocabulary vocabulary,
      PreTokenizer preTokenizer,
      boolean composes,
      TokenTable tokens,
      MergeTable merges,
      SpecialTokens specials) {
    this.vocabulary = vocabulary;
    this.preTokenizer = preTokenizer;
    this.composes = composes;
    this.tokens = tokens;
    this.merges = merges;
    this.specials = specials;
    this.byteTokens = tokens.byteTokens();
    this.stops = tokens.stops();
  }

  /**
   * The tokenizer of a vocabulary; a {@link GgufException} if its kind is not supported or its
   * merges contradict its tokens. Keep one per file: building the tables of 150 000 tokens takes
   * some tenths of a second.
   */
  public static Tokenizer of(Vocabulary vocabulary) {
    if (!vocabulary.model().equals("gpt2")) {
      throw new GgufException(
          vocabulary.source()
              + ": its tokenizer is of kind '"
              + vocabulary.model()
              + "', which is not supported yet; supported is"
              + " byte-level BPE ('gpt2') with tokenizer.ggml.pre = "
              + PreTokenizer.knownNames()
              + "; give token ids instead of text, or take a model with such a tokenizer");
    }
    if (vocabulary.merges().isEmpty()) {
      throw new GgufException(
          vocabulary.source()
              + ": metadata has no tokenizer.ggml.merges, which a 'gpt2' tokenizer needs; convert the model again");
    }
    PreTokenizer pre = PreTokenizer.of(vocabulary);
    TokenTable tokens = new TokenTable(vocabulary);
    MergeTable merges = MergeTable.of(vocabulary, tokens);
    return new Tokenizer(
        vocabulary, pre, pre.composes(), tokens, merges, new SpecialTokens(vocabulary));
  }

  /**
   * This tokenizer without Unicode composition, which llama.cpp leaves out: "e" and a combining
   * accent stay two letters.
   */
  public Tokenizer withoutComposition() {
    return new Tokenizer(vocabulary, preTokenizer, false, tokens, merges, specials);
  }

  /**
   * What a user should know about choices made for an incomplete file; one sentence each, mostly
   * none.
   */
  public List<String> warnings() {
    return preTokenizer.warning(vocabulary).stream().toList();
  }

  /** What the file says. */
  public Vocabulary vocabulary() {
    return vocabulary;
  }

  /** How text is split. */
  public PreTokenizer preTokenizer() {
    return preTokenizer;
  }

  /** The number of tokens; ids are 0 to size - 1. */
  public int size() {
    return tokens.size();
  }

  /**
   * True if the model wants its sequences to begin with a BOS token: by its metadata, else by the
   * custom of its family.
   */
  public boolean addsBos() {
    return vocabulary.bos().isPresent()
        && vocabulary.addBos().orElse(preTokenizer == PreTokenizer.LLAMA_BPE);
  }

  /**
   * The ids of {@code text}.
   *
   * @param parseSpecial true for text whose author is trusted: control tokens written in it are
   *     recognised. False for a user's text: only user-defined tokens are
   * @param addBos true at the start of a sequence: BOS goes first if the model wants one and the
   *     text does not begin with it
   */
  public int[] encode(String text, boolean parseSpecial, boolean addBos) {
    BitSet users = NOBODY;
    if (!parseSpecial) {
      users = new BitSet(text.length());
      users.set(0, text.length());
    }
    int[] ids = encode(text, users, encoder());
    return addBos ? withBos(ids) : ids;
  }

  /**
   * The ids of a conversation from its start: control tokens count where the template wrote them;
   * BOS if the model wants one.
   */
  public int[] encode(ChatText chat) {
    return withBos(encode(chat.text(), chat.content(), encoder()));
  }

  private int[] withBos(int[] ids) {
    if (!addsBos() || ids.length > 0 && ids[0] == vocabulary.bos().getAsInt()) {
      return ids;
    }
    int[] begun = new int[ids.length + 1];
    begun[0] = vocabulary.bos().getAsInt();
    System.arraycopy(ids, 0, begun, 1, ids.length);
    return begun;
  }

  /** A fresh encoder over this tokenizer's merges, for one call. */
  BytePairEncoder encoder() {
    return new BytePairEncoder(merges, byteTokens);
  }

  /** The ids of {@code text}, of which a user wrote the chars {@code users}. */
  int[] encode(String text, BitSet users, BytePairEncoder encoder) {
    BytePairEncoder.Ids out = new BytePairEncoder.Ids();
    specials.split(text, users, plain -> encodePlain(plain, encoder, out), out::add);
    return out.toArray();
  }

  private void encodePlain(String text, BytePairEncoder encoder, BytePairEncoder.Ids out) {
    String whole = withoutLoneSurrogates(text);
    String composed = composes ? Normalizer.normalize(whole, Normalizer.Form.NFC) : whole;
    preTokenizer.split(
        composed, piece -> encodePiece(piece.getBytes(StandardCharsets.UTF_8), encoder, out));
  }

  private void encodePiece(byte[] piece, BytePairEncoder encoder, BytePairEncoder.Ids out) {
    int whole = preTokenizer.prefersWholePieces() ? tokens.normalToken(piece) : -1;
    if (whole >= 0) {
      out.add(whole);
      return;
    }
    for (byte b : piece) {
      if (byteTokens[b & 0xFF] < 0) {
        throw new GgufException(
            "%s: its tokenizer has no token for the byte 0x%02X, which this text holds; take that character out of the text"
                .formatted(vocabulary.source(), b));
      }
    }
    encoder.encode(piece, out);
  }

  /**
   * Half of a surrogate pair has no UTF-8; U+FFFD takes its place, as in the decoders of other
   * languages.
   */
  private static String withoutLoneSurrogates(String text) {
    StringBuilder fixed = null;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!Character.isSurrogate(c)) {
        continue;
      }
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
        continue;
      }
      fixed = fixed == null ? new StringBuilder(text) : fixed;
      fixed.setCharAt(i, '\uFFFD');
    }
    return fixed == null ? text : fixed.toString();
  }

  /**
   * A detokenizer for one stream of ids; control tokens are written out if {@code showControl},
   * else they give no text.
   */
  public Detokenizer detokenizer(boolean showControl) {
    return new Detokenizer(tokens, showControl);
  }

  /** The text of a whole sequence of ids; bytes that are no UTF-8 become U+FFFD. */
  public String decode(int[] ids, boolean showControl) {
    Detokenizer detokenizer = detokenizer(showControl);
    StringBuilder text = new StringBuilder();
    for (int id : ids) {
      text.append(detokenizer.accept(id));
    }
    return text.append(detokenizer.flush()).toString();
  }

  /**
   * A copy of the bytes that a token stands for: text of a normal token, its own spelling for the
   * others.
   */
  public byte[] bytes(int id) {
    return tokens.bytes(id).clone();
  }

  /** What a token is. */
  public TokenType type(int id) {
    return tokens.type(id);
  }

  /** True if generation ends at this id: end of sequence, of turn or of message. */
  public boolean isStop(int id) {
    return id >= 0 && stops.get(id);
  }

  /** All ids at which generation ends, ascending. */
  public int[] stopIds() {
    return stops.stream().toArray();
  }

  /**
   * The ids below {@code rows} (the rows of the output matrix) that a sampler must never choose:
   * padding entries, entries marked unused, and rows that the vocabulary has no token for.
   */
  public BitSet neverSample(int rows) {
    BitSet never = tokens.padding().get(0, rows);
    if (rows > size()) {
      never.set(size(), rows);
    }
    return never;
  }

  @Override
  public String toString() {
    return "Tokenizer["
        + preTokenizer.ggufName()
        + ", "
        + size()
        + " tokens, stops "
        + Arrays.toString(stopIds())
        + "]";
  }
}
