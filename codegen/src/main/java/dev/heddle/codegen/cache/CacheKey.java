package dev.heddle.codegen.cache;

import dev.heddle.ir.HeddleBug;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** Names a compiled kernel: the SHA-256 of all that decides its bytes, as 64 hexadecimal digits. */
public record CacheKey(String text) {
  /**
   * The key of a compile.
   *
   * @param source source text
   * @param flags the compiler's options, in order
   * @param compilerVersion the compiler's own version text
   */
  public static CacheKey of(String source, List<String> flags, String compilerVersion) {
    MessageDigest digest = sha256();
    part(digest, compilerVersion);
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, flags.size()));
    flags.forEach(flag -> part(digest, flag));
    part(digest, source);
    return new CacheKey(HexFormat.of().formatHex(digest.digest()));
  }

  /** Lengths stand before texts, so that no two lists of parts give one stream of bytes. */
  private static void part(MessageDigest digest, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
    digest.update(bytes);
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new HeddleBug("this Java runtime has no SHA-256, which every one must have", e);
    }
  }
}
