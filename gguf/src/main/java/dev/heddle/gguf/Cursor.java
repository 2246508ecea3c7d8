package dev.heddle.gguf;

import static dev.heddle.gguf.GgufException.number;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * A position in a mapped file. Every read checks the bytes that are left before anything is
 * allocated or touched.
 */
final class Cursor {
  private final String file;
  private final MemorySegment bytes;
  private long position;

  Cursor(String file, MemorySegment bytes) {
    this.file = file;
    this.bytes = bytes;
  }

  long position() {
    return position;
  }

  long left() {
    return bytes.byteSize() - position;
  }

  /**
   * Refuses {@code count} things of at least {@code bytesEach} that cannot be in the rest of the
   * file.
   */
  void expect(long count, long bytesEach, String what) {
    if (count < 0 || count > left() / bytesEach) {
      throw new GgufException(
          file
              + ": "
              + what
              + " at byte "
              + number(position)
              + " promises "
              + unsigned(count)
              + (bytesEach == 1 ? " bytes" : " entries")
              + ", but only "
              + number(left())
              + " bytes follow: the download is cut or damaged; fetch it again");
    }
  }

  int u8(String what) {
    expect(1, what);
    int value = bytes.get(ValueLayout.JAVA_BYTE, position) & 0xff;
    position += 1;
    return value;
  }

  int i16(String what) {
    expect(2, what);
    int value = bytes.get(Bytes.I16, position);
    position += 2;
    return value;
  }

  int i32(String what) {
    expect(4, what);
    int value = bytes.get(Bytes.I32, position);
    position += 4;
    return value;
  }

  long i64(String what) {
    expect(8, what);
    long value = bytes.get(Bytes.I64, position);
    position += 8;
    return value;
  }

  /** A string that must be UTF-8: a name. */
  String name(String what) {
    byte[] raw = stringBytes(what, GgufLimits.NAME_BYTES);
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT)
          .decode(java.nio.ByteBuffer.wrap(raw))
          .toString();
    } catch (CharacterCodingException e) {
      throw new GgufException(
          file
              + ": "
              + what
              + " before byte "
              + number(position)
              + " is no UTF-8 ("
              + raw.length
              + " bytes): the file is damaged; fetch it again",
          e);
    }
  }

  /**
   * A string value; bytes that are no UTF-8 become U+FFFD, because a broken description must not
   * stop a model.
   */
  String text(String what) {
    return new String(stringBytes(what, GgufLimits.STRING_BYTES), StandardCharsets.UTF_8);
  }

  private byte[] stringBytes(String what, int limit) {
    long length = i64(what);
    expect(length, 1, what);
    if (length > limit) {
      throw new GgufException(
          file
              + ": "
              + what
              + " at byte "
              + number(position)
              + " has "
              + number(length)
              + " bytes, more than the "
              + number(limit)
              + " that heddle accepts: the file is damaged; fetch it again");
    }
    byte[] raw = new byte[(int) length];
    MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, position, raw, 0, raw.length);
    position += length;
    return raw;
  }

  private void expect(int wanted, String what) {
    if (left() < wanted) {
      throw new GgufException(
          file
              + ": the file ends at byte "
              + number(bytes.byteSize())
              + " inside "
              + what
              + ": the download is cut; fetch it again");
    }
  }

  private static String unsigned(long value) {
    return value >= 0 ? number(value) : Long.toUnsignedString(value);
  }

  /** Refuses more of something than {@link GgufLimits} allows. */
  void limit(long value, long most, String what) {
    if (value > most) {
      throw damaged(
          number(value)
              + " "
              + what
              + " are more than the "
              + number(most)
              + " that heddle accepts");
    }
  }

  /** The exception for a container that contradicts itself. */
  GgufException damaged(String what) {
    return new GgufException(
        file + ": " + what + ": the file is damaged; fetch it again or convert the model again");
  }
}
