package dev.heddle.text;

import dev.heddle.gguf.GgufException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Byte-level BPE: text to token ids and back.
 *
 * <p>Encoding goes: special tokens written in the text are cut out; what lies between is composed (Qwen), split by the {@link
 * PreTokenizer}, and merged inside each piece. A tokenizer is immutable.
 */
public final class Tokenizer {
  /** Turn and sequence ends by spelling: files often name only one of them in their metadata, and models write any. */
  private static final List<String> END_SPELLINGS =
      List.of("<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>");

  private static final Pattern PADDING = Pattern.compile("\\[PAD ?\\d+]");

  private final Vocabulary vocabulary;
  private final PreTokenizer preTokenizer;
  private final boolean composes;
  private final List<String> warnings;
  private final Map<String, Integer> ids;
  private final MergeTable merges;
  private final int[] byteTokens;
  private final byte[][] bytes;
  private final SpecialTokens userDefined;
  private final SpecialTokens allSpecial;
  private final BitSet stops;

  private Tokenizer(Vocabulary vocabulary, PreTokenizer preTokenizer, List<String> warnings) {
    this.vocabulary = vocabulary;
    this.preTokenizer = preTokenizer;
    this.composes = preTokenizer.composes();
    this.warnings = List.copyOf(warnings);
    this.ids = idsBySpelling(vocabulary);
    this.merges = MergeTable.of(vocabulary, ids);
    this.byteTokens = byteTokens(ids);
    this.bytes = bytes(vocabulary);
    this.userDefined = new SpecialTokens(vocabulary, List.of(TokenType.USER_DEFINED));
    this.allSpecial = new SpecialTokens(vocabulary, List.of(TokenType.USER_DEFINED, TokenType.CONTROL));
    this.stops = stops(vocabulary);
  }

  private Tokenizer(Tokenizer other, boolean composes) {
    this.vocabulary = other.vocabulary;
    this.preTokenizer = other.preTokenizer;
    this.composes = composes;
    this.warnings = other.warnings;
    this.ids = other.ids;
    this.merges = other.merges;
    this.byteTokens = other.byteTokens;
    this.bytes = other.bytes;
    this.userDefined = other.userDefined;
    this.allSpecial = other.allSpecial;
    this.stops = other.stops;
  }

  /**
   * The tokenizer of a vocabulary; a {@link GgufException} if its kind is not supported or its merges contradict its tokens. Keep one
   * per file: building the tables of 150 000 tokens takes some tenths of a second.
   */
  public static Tokenizer of(Vocabulary vocabulary) {
    if (!vocabulary.model().equals("gpt2")) {
      throw new GgufException(
          vocabulary.source() + ": its tokenizer is of kind '" + vocabulary.model() + "', which is not supported yet; supported is"
              + " byte-level BPE ('gpt2') with tokenizer.ggml.pre = " + PreTokenizer.knownNames()
              + "; give token ids instead of text, or take a model with such a tokenizer");
    }
    if (vocabulary.merges().isEmpty()) {
      throw new GgufException(
          vocabulary.source() + ": metadata has no tokenizer.ggml.merges, which a 'gpt2' tokenizer needs; convert the model again");
    }
    String pre = vocabulary.pre().orElse("default");
    if (!pre.equals("default")) {
      PreTokenizer known = PreTokenizer.of(pre).orElseThrow(() -> unsupportedPre(vocabulary, pre));
      return new Tokenizer(vocabulary, known, List.of());
    }
    PreTokenizer guess = guess(vocabulary);
    String stated = vocabulary.pre().isPresent() ? "says 'default'" : "is absent";
    String warning = vocabulary.source() + ": tokenizer.ggml.pre " + stated + ", so the file does not say how to split text; '"
        + guess.ggufName() + "' is used, as its architecture and tokens suggest; a fresh conversion of the model would settle it";
    return new Tokenizer(vocabulary, guess, List.of(warning));
  }

  private static PreTokenizer guess(Vocabulary vocabulary) {
    String architecture = vocabulary.architecture();
    if (architecture.startsWith("qwen35")) {
      return PreTokenizer.QWEN35;
    }
    if (architecture.startsWith("qwen")) {
      return PreTokenizer.QWEN2;
    }
    if (vocabulary.tokens().contains("<|begin_of_text|>")) {
      return PreTokenizer.LLAMA_BPE;
    }
    throw unsupportedPre(vocabulary, "default");
  }

  private static GgufException unsupportedPre(Vocabulary vocabulary, String pre) {
    return new GgufException(
        vocabulary.source() + ": its tokenizer splits text by tokenizer.ggml.pre = '" + pre + "', which is not supported yet; supported are "
            + PreTokenizer.knownNames() + "; give token ids instead of text, or take a model with such a tokenizer");
  }

  private static Map<String, Integer> idsBySpelling(Vocabulary vocabulary) {
    List<String> tokens = vocabulary.tokens();
    Map<String, Integer> ids = HashMap.newHashMap(tokens.size());
    for (int id = 0; id < tokens.size(); id++) {
      // Of two entries with one spelling the ordinary one takes part in merges.
      if (vocabulary.types().get(id) == TokenType.NORMAL) {
        Integer earlier = ids.put(tokens.get(id), id);
        if (earlier != null && vocabulary.types().get(earlier) == TokenType.NORMAL) {
          ids.put(tokens.get(id), earlier);
        }
      } else {
        ids.putIfAbsent(tokens.get(id), id);
      }
    }
    return ids;
  }

  private static int[] byteTokens(Map<String, Integer> ids) {
    int[] tokens = new int[256];
    for (int b = 0; b < 256; b++) {
      tokens[b] = ids.getOrDefault(String.valueOf(ByteAlphabet.letter(b)), -1);
    }
    return tokens;
  }

  private static byte[][] bytes(Vocabulary vocabulary) {
    byte[][] bytes = new byte[vocabulary.tokens().size()][];
    for (int id = 0; id < bytes.length; id++) {
      String token = vocabulary.tokens().get(id);
      bytes[id] = switch (vocabulary.types().get(id)) {
        case NORMAL -> ByteAlphabet.bytes(token);
        case CONTROL, USER_DEFINED, UNKNOWN, UNUSED -> token.getBytes(StandardCharsets.UTF_8);
        case BYTE -> token.matches("<0x[0-9A-Fa-f]{2}>")
            ? new byte[] {(byte) Integer.parseInt(token.substring(3, 5), 16)}
            : token.getBytes(StandardCharsets.UTF_8);
      };
    }
    return bytes;
  }

  private static BitSet stops(Vocabulary vocabulary) {
    BitSet stops = new BitSet();
    vocabulary.ends().forEach(stops::set);
    for (int id = 0; id < vocabulary.tokens().size(); id++) {
      if (vocabulary.types().get(id) == TokenType.CONTROL && END_SPELLINGS.contains(vocabulary.tokens().get(id))) {
        stops.set(id);
      }
    }
    return stops;
  }

  /** This tokenizer without Unicode composition, which llama.cpp leaves out: "e" and a combining accent stay two letters. */
  public Tokenizer withoutComposition() {
    return new Tokenizer(this, false);
  }

  /** What a user should know about choices made for an incomplete file; one sentence each, mostly none. */
  public List<String> warnings() {
    return warnings;
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
    return bytes.length;
  }

  /** True if the model wants its sequences to begin with a BOS token: by its metadata, else by the custom of its family. */
  public boolean addsBos() {
    return vocabulary.bos().isPresent() && vocabulary.addBos().orElse(preTokenizer == PreTokenizer.LLAMA_BPE);
  }

  /**
   * The ids of {@code text}.
   *
   * @param parseSpecial true for text that heddle or a template made: control tokens written in it are recognised. False for a
   *     user's text: only user-defined tokens are
   * @param addBos true at the start of a sequence: BOS goes first if the model wants one and the text does not begin with it
   */
  public int[] encode(String text, boolean parseSpecial, boolean addBos) {
    BytePairEncoder.Ids out = new BytePairEncoder.Ids();
    encode(text, parseSpecial, encoder(), out);
    int[] found = out.toArray();
    if (!addBos || !addsBos() || found.length > 0 && found[0] == vocabulary.bos().getAsInt()) {
      return found;
    }
    int[] begun = new int[found.length + 1];
    begun[0] = vocabulary.bos().getAsInt();
    System.arraycopy(found, 0, begun, 1, found.length);
    return begun;
  }

  /** A fresh encoder over this tokenizer's merges, for one call. */
  BytePairEncoder encoder() {
    return new BytePairEncoder(merges, byteTokens);
  }

  void encode(String text, boolean parseSpecial, BytePairEncoder encoder, BytePairEncoder.Ids out) {
    SpecialTokens special = parseSpecial ? allSpecial : userDefined;
    special.split(text, plain -> encodePlain(plain, encoder, out), out::add);
  }

  private void encodePlain(String text, BytePairEncoder encoder, BytePairEncoder.Ids out) {
    String whole = withoutLoneSurrogates(text);
    String composed = composes ? Normalizer.normalize(whole, Normalizer.Form.NFC) : whole;
    preTokenizer.split(composed, piece -> encodePiece(piece.getBytes(StandardCharsets.UTF_8), encoder, out));
  }

  private void encodePiece(byte[] piece, BytePairEncoder encoder, BytePairEncoder.Ids out) {
    if (preTokenizer.prefersWholePieces()) {
      Integer id = ids.get(ByteAlphabet.spell(piece, 0, piece.length));
      if (id != null && vocabulary.types().get(id) == TokenType.NORMAL) {
        out.add(id);
        return;
      }
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

  /** Half of a surrogate pair has no UTF-8; U+FFFD takes its place, as in the decoders of other languages. */
  private static String withoutLoneSurrogates(String text) {
    StringBuilder fixed = null;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!Character.isSurrogate(c)) {
        continue;
      }
      if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
        continue;
      }
      fixed = fixed == null ? new StringBuilder(text) : fixed;
      fixed.setCharAt(i, '\uFFFD');
    }
    return fixed == null ? text : fixed.toString();
  }

  /** A detokenizer for one stream of ids; control tokens are written out if {@code showControl}, else they give no text. */
  public Detokenizer detokenizer(boolean showControl) {
    return new Detokenizer(this, showControl);
  }

  /** The text of a whole sequence of ids; bytes that are no UTF-8 become U+FFFD. */
  public String decode(int[] sequence, boolean showControl) {
    Detokenizer detokenizer = detokenizer(showControl);
    StringBuilder text = new StringBuilder();
    for (int id : sequence) {
      text.append(detokenizer.accept(id));
    }
    return text.append(detokenizer.flush()).toString();
  }

  /** A copy of the bytes that a token stands for: text of a normal token, its own spelling for the others. */
  public byte[] bytes(int id) {
    return bytesOf(id).clone();
  }

  /** The bytes themselves, for readers in this package that do not change them. */
  byte[] bytesOf(int id) {
    checkId(id);
    return bytes[id];
  }

  /** What a token is. */
  public TokenType type(int id) {
    checkId(id);
    return vocabulary.types().get(id);
  }

  private void checkId(int id) {
    if (id < 0 || id >= bytes.length) {
      throw new IllegalArgumentException("token " + id + " is not in the vocabulary, whose ids are 0 to " + (bytes.length - 1));
    }
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
   * The ids below {@code rows} (the rows of the output matrix, at least {@link #size}) that a sampler must never choose: padding
   * entries, entries marked unused, and rows that the vocabulary has no token for.
   */
  public BitSet neverSample(int rows) {
    BitSet never = new BitSet(rows);
    for (int id = 0; id < Math.min(rows, bytes.length); id++) {
      TokenType type = vocabulary.types().get(id);
      if (type == TokenType.UNUSED || type == TokenType.NORMAL && isPadding(vocabulary.tokens().get(id))) {
        never.set(id);
      }
    }
    if (rows > bytes.length) {
      never.set(bytes.length, rows);
    }
    return never;
  }

  private static boolean isPadding(String token) {
    return token.startsWith("[PAD") && PADDING.matcher(token).matches();
  }

  @Override
  public String toString() {
    return "Tokenizer[" + preTokenizer.ggufName() + ", " + bytes.length + " tokens, stops " + Arrays.toString(stopIds()) + "]";
  }
}
