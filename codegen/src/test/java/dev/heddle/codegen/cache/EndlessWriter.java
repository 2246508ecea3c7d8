package dev.heddle.codegen.cache;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Stores entries until it is killed: key i holds {@link #contents(int)}. */
final class EndlessWriter {
  static final int KEYS = 8;

  private EndlessWriter() {}

  static CacheKey key(int i) {
    return CacheKey.of("source " + i, List.of(), "1");
  }

  static byte[] contents(int i) {
    byte[] bytes = new byte[200_000 + i];
    Arrays.fill(bytes, (byte) i);
    return bytes;
  }

  public static void main(String[] args) {
    CompileCache cache = new CompileCache(Path.of(args[0]));
    for (int i = 0; ; i = (i + 1) % KEYS) {
      cache.store(key(i), contents(i)).ifPresent(System.err::println);
      if (i == 0) {
        System.out.println("writing");
      }
    }
  }
}
