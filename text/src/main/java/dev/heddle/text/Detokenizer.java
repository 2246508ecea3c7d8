package dev.heddle.text;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Turns a stream of ids into a stream of text that can be shown at once: a token may end inside a
 * character, so bytes are held back until their UTF-8 sequence is complete. The texts given, put
 * together, equal the decoding of all bytes at once. For one stream and one thread.
 */
public final class Detokenizer {
  private final TokenTable tokens;
  private final boolean showControl;
  private final CharsetDecoder decoder =
      StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPLACE)
          .onUnmappableCharacter(CodingErrorAction.REPLACE);
  private byte[] held = new byte[0];

  Detokenizer(TokenTable tokens, boolean showControl) {
    this.tokens = tokens;
    this.showControl = showControl;
  }

  /**
   * The text that is complete with this token: often that of the token, empty inside a character.
   */
  public String accept(int id) {
    byte[] bytes = tokens.bytes(id);
    if (!showControl && tokens.type(id) == TokenType.CONTROL) {
      return "";
    }
    return accept(bytes);
  }

  String accept(byte[] bytes) {
    ByteBuffer in = ByteBuffer.allocate(held.length + bytes.length).put(held).put(bytes).flip();
    // A byte gives at most one char: ASCII or U+FFFD one each, longer sequences fewer.
    CharBuffer out = CharBuffer.allocate(in.remaining());
    decoder.decode(in, out, false);
    held = new byte[in.remaining()];
    in.get(held);
    return out.flip().toString();
  }

  /**
   * Ends the stream: U+FFFD for bytes still held back, else nothing. The detokenizer is then as
   * new.
   */
  public String flush() {
    ByteBuffer in = ByteBuffer.wrap(held);
    CharBuffer out = CharBuffer.allocate(held.length + 1);
    decoder.decode(in, out, true);
    decoder.flush(out);
    decoder.reset();
    held = new byte[0];
    return out.flip().toString();
  }
}
