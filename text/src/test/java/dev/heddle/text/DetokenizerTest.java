package dev.heddle.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DetokenizerTest {

  /** Ids below 256 are bytes; 256 is a control token, 257 a user-defined one. */
  private static final Tokenizer BYTES =
      new SmallVocabulary()
          .token("<|im_end|>", TokenType.CONTROL)
          .token("<think>", TokenType.USER_DEFINED)
          .merge("a", "b")
          .tokenizer();

  @Test
  void holdsBytesBackUntilTheCharacterIsComplete() {
    Detokenizer detokenizer = BYTES.detokenizer(false);
    assertEquals("a", detokenizer.accept('a'));
    assertEquals("", detokenizer.accept(0xF0));
    assertEquals("", detokenizer.accept(0x9F));
    assertEquals("", detokenizer.accept(0xA6));
    assertEquals("\uD83E\uDD8A", detokenizer.accept(0x8A));
    assertEquals("", detokenizer.flush());
  }

  @Test
  void givesReplacementCharactersForWhatIsLeftAtTheEnd() {
    Detokenizer detokenizer = BYTES.detokenizer(false);
    assertEquals("", detokenizer.accept(0xE4));
    assertEquals("", detokenizer.accept(0xB8));
    assertEquals("\uFFFD", detokenizer.flush());
    assertEquals("b", detokenizer.accept('b'));
    assertEquals("", detokenizer.flush());
  }

  @Test
  void givesAReplacementCharacterAsSoonAsASequenceCannotBeCompleted() {
    Detokenizer detokenizer = BYTES.detokenizer(false);
    assertEquals("", detokenizer.accept(0xC3));
    assertEquals("\uFFFDx", detokenizer.accept('x'));
    assertEquals("\uFFFD", detokenizer.accept(0xFF));
  }

  @Test
  void hidesControlTokensUnlessAskedAndAlwaysShowsUserDefinedOnes() {
    assertEquals("a<think>", BYTES.decode(new int[] {'a', 256, 257}, false));
    assertEquals("a<|im_end|><think>", BYTES.decode(new int[] {'a', 256, 257}, true));
    assertEquals("\u00e9", BYTES.decode(new int[] {0xC3, 256, 0xA9}, false));
  }

  @Test
  void anyCutOfAnyBytesGivesTheTextOfTheWhole() {
    for (long seed = 1; seed <= 2_000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      byte[] bytes = random.nextBoolean() ? randomText(random) : randomBytes(random);
      Detokenizer detokenizer = BYTES.detokenizer(false);
      StringBuilder streamed = new StringBuilder();
      for (int at = 0; at < bytes.length; ) {
        int end = Math.min(bytes.length, at + random.nextInt(6));
        String piece = detokenizer.accept(Arrays.copyOfRange(bytes, at, end));
        assertFalse(
            !piece.isEmpty() && Character.isHighSurrogate(piece.charAt(piece.length() - 1)),
            "seed " + seed);
        streamed.append(piece);
        at = end;
      }
      streamed.append(detokenizer.flush());
      assertEquals(new String(bytes, StandardCharsets.UTF_8), streamed.toString(), "seed " + seed);
    }
  }

  @Test
  void validTextNeverShowsAReplacementCharacterWhereverItIsCut() {
    for (long seed = 1; seed <= 500; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Detokenizer detokenizer = BYTES.detokenizer(false);
      for (byte b : randomText(random)) {
        assertFalse(detokenizer.accept(b & 0xFF).contains("\uFFFD"), "seed " + seed);
      }
      assertEquals("", detokenizer.flush(), "seed " + seed);
    }
  }

  private static byte[] randomText(SplittableRandom random) {
    int[] limits = {0x80, 0x800, 0xD800, 0x110000};
    StringBuilder text = new StringBuilder();
    for (int n = random.nextInt(20); n > 0; n--) {
      int codePoint = random.nextInt(limits[random.nextInt(limits.length)]);
      boolean usable = codePoint != 0xFFFD && (codePoint < 0xD800 || codePoint > 0xDFFF);
      text.appendCodePoint(usable ? codePoint : 'x');
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Bytes that begin, continue and break sequences far more often than uniform ones. */
  private static byte[] randomBytes(SplittableRandom random) {
    int[] telling = {
      'a', 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0,
      0xF1, 0xF4, 0xF5, 0xFF
    };
    byte[] bytes = new byte[random.nextInt(24)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) telling[random.nextInt(telling.length)];
    }
    return bytes;
  }
}
