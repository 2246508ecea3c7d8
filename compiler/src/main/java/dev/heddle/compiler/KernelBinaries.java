package dev.heddle.compiler;

import dev.heddle.codegen.cache.CacheKey;
import dev.heddle.codegen.cache.CompileCache;
import dev.heddle.codegen.jvm.JvmCompiler;
import dev.heddle.codegen.jvm.KernelSource;
import dev.heddle.ir.HeddleBug;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Class files of kernels. Those in the cache are taken from there; all others are compiled in one
 * compiler task and stored.
 */
final class KernelBinaries {
  private final Optional<CompileCache> cache;

  KernelBinaries(Optional<CompileCache> cache) {
    this.cache = cache;
  }

  /** Class files by class name. */
  Map<String, byte[]> of(List<KernelSource> sources) {
    Map<String, byte[]> binaries = new HashMap<>();
    List<KernelSource> missing = new ArrayList<>();
    for (KernelSource source : sources.stream().distinct().toList()) {
      Optional<byte[]> cached = cache.flatMap(c -> c.find(key(source)));
      cached.ifPresentOrElse(
          bytes -> binaries.put(source.className(), bytes), () -> missing.add(source));
    }
    Map<String, byte[]> compiled = JvmCompiler.compile(missing);
    for (KernelSource source : missing) {
      byte[] binary = compiled.get(source.className());
      if (binary == null) {
        throw new HeddleBug("the compiler made no class " + source.className());
      }
      binaries.put(source.className(), binary);
    }
    if (compiled.size() != missing.size()) {
      throw new HeddleBug(
          "kernels are one class each, but "
              + missing.size()
              + " sources gave "
              + compiled.keySet());
    }
    // A cache that cannot be written costs the next run a compile; this one has all it needs.
    cache.ifPresent(
        c -> missing.forEach(source -> c.store(key(source), binaries.get(source.className()))));
    return binaries;
  }

  private static CacheKey key(KernelSource source) {
    return CacheKey.of(source.source(), JvmCompiler.OPTIONS, "javac " + Runtime.version());
  }
}
