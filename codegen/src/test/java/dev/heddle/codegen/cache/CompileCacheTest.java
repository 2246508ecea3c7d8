package dev.heddle.codegen.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompileCacheTest {
  private static final CacheKey KEY = CacheKey.of("class A {}", List.of("-g:none"), "25.0.1");
  private static final byte[] CONTENTS = {1, 2, 3};

  @TempDir Path folder;

  @Test
  void findsWhatWasStored() {
    CompileCache cache = new CompileCache(folder.resolve("new"));

    assertTrue(cache.find(KEY).isEmpty());
    assertEquals(Optional.empty(), cache.store(KEY, CONTENTS));
    assertArrayEquals(CONTENTS, cache.find(KEY).orElseThrow());
  }

  @Test
  void sourceFlagsAndVersionAllDecideTheKey() {
    assertEquals(KEY, CacheKey.of("class A {}", List.of("-g:none"), "25.0.1"));
    assertNotEquals(KEY, CacheKey.of("class B {}", List.of("-g:none"), "25.0.1"));
    assertNotEquals(KEY, CacheKey.of("class A {}", List.of(), "25.0.1"));
    assertNotEquals(KEY, CacheKey.of("class A {}", List.of("-g:none"), "25.0.2"));
    assertNotEquals(
        CacheKey.of("", List.of("ab", "c"), ""), CacheKey.of("", List.of("a", "bc"), ""));
  }

  @Test
  void anEntryChangedInAnyByteIsIgnoredAndRewritten() throws IOException {
    CompileCache cache = new CompileCache(folder);
    cache.store(KEY, CONTENTS);
    Path file = entry();
    byte[] good = Files.readAllBytes(file);
    for (int i = 0; i < good.length; i++) {
      byte[] bad = good.clone();
      bad[i] ^= 4;
      Files.write(file, bad);
      assertTrue(cache.find(KEY).isEmpty(), "byte " + i);
    }
    cache.store(KEY, CONTENTS);
    assertArrayEquals(CONTENTS, cache.find(KEY).orElseThrow());
  }

  @Test
  void anEntryCutAnywhereIsIgnored() throws IOException {
    CompileCache cache = new CompileCache(folder);
    cache.store(KEY, CONTENTS);
    Path file = entry();
    byte[] good = Files.readAllBytes(file);
    for (int length = 0; length < good.length; length++) {
      Files.write(file, java.util.Arrays.copyOf(good, length));
      assertTrue(cache.find(KEY).isEmpty(), length + " bytes");
    }
  }

  @Test
  void aFolderThatCannotBeWrittenIsOneSentence() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "");

    String sentence = new CompileCache(file).store(KEY, CONTENTS).orElseThrow();

    assertTrue(sentence.contains(file.toString()) && sentence.contains("XDG_CACHE_HOME"), sentence);
  }

  @Test
  void liesInTheFolderThatXdgNamesOrInTheHomeFolder() {
    Path home = Path.of("/home/ada");

    assertEquals(
        Path.of("/tmp/cache/heddle"),
        CompileCache.ofUser(Map.of("XDG_CACHE_HOME", "/tmp/cache"), home).folder());
    assertEquals(Path.of("/home/ada/.cache/heddle"), CompileCache.ofUser(Map.of(), home).folder());
    assertEquals(
        Path.of("/home/ada/.cache/heddle"),
        CompileCache.ofUser(Map.of("XDG_CACHE_HOME", "relative"), home).folder());
  }

  @Test
  void temporaryFilesOfKilledProcessesAreRemovedOnceTheyAreOld() throws IOException {
    CompileCache cache = new CompileCache(folder);
    cache.store(KEY, CONTENTS);
    Path old = Files.createFile(entry().resolveSibling(".writing-1"));
    Path young = Files.createFile(entry().resolveSibling(".writing-2"));
    Files.setLastModifiedTime(old, FileTime.from(Instant.now().minusSeconds(7200)));

    cache.store(KEY, CONTENTS);

    assertTrue(Files.notExists(old));
    assertTrue(Files.exists(young));
  }

  @Test
  void killedWritersLeaveNoHalfEntry() throws Exception {
    long seed = 20261201;
    SplittableRandom random = new SplittableRandom(seed);
    CompileCache cache = new CompileCache(folder);
    int found = 0;
    for (int round = 0; round < 4; round++) {
      Process first = writer();
      Process second = writer();
      assertEquals("writing", first.inputReader().readLine());
      assertEquals("writing", second.inputReader().readLine());
      Thread.sleep(random.nextInt(1, 120));
      first.destroyForcibly();
      second.destroyForcibly();
      assertTrue(first.waitFor(10, TimeUnit.SECONDS) && second.waitFor(10, TimeUnit.SECONDS));
      for (int i = 0; i < EndlessWriter.KEYS; i++) {
        Optional<byte[]> entry = cache.find(EndlessWriter.key(i));
        found += entry.isPresent() ? 1 : 0;
        if (entry.isPresent()) {
          assertArrayEquals(EndlessWriter.contents(i), entry.get(), "seed " + seed);
        }
      }
      assertEquals(found(), visible(), "every visible entry is whole; seed " + seed);
    }
    assertTrue(found > 0);
  }

  private long found() {
    CompileCache cache = new CompileCache(folder);
    return Stream.iterate(0, i -> i < EndlessWriter.KEYS, i -> i + 1)
        .filter(i -> cache.find(EndlessWriter.key(i)).isPresent())
        .count();
  }

  private long visible() throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(f -> Files.isRegularFile(f) && !f.getFileName().toString().startsWith("."))
          .count();
    }
  }

  private Process writer() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xshare:auto",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            EndlessWriter.class.getName(),
            folder.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private Path entry() throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(f -> Files.isRegularFile(f) && !f.getFileName().toString().startsWith("."))
          .findFirst()
          .orElseThrow();
    }
  }
}
