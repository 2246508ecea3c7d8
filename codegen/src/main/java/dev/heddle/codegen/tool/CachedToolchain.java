package dev.heddle.codegen.tool;

import dev.heddle.codegen.cache.CacheKey;
import dev.heddle.codegen.cache.CompileCache;
import dev.heddle.codegen.gpu.Dialect;
import dev.heddle.codegen.gpu.GpuSource;
import dev.heddle.ir.plan.Resources;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.TreeMap;

/** A toolchain whose modules are kept in the compile cache, keyed by source, compiler and flags. */
public record CachedToolchain(Toolchain toolchain, CompileCache cache) implements Toolchain {
  @Override
  public String arch() {
    return toolchain.arch();
  }

  @Override
  public Dialect dialect() {
    return toolchain.dialect();
  }

  @Override
  public String identity() {
    return toolchain.identity();
  }

  @Override
  public GpuModule compile(GpuSource source) {
    CacheKey key = CacheKey.of(source.text(), java.util.List.of(), identity());
    return cache
        .find(key)
        .map(this::read)
        .orElseGet(() -> {
          GpuModule module = toolchain.compile(source);
          // A cache that cannot be written costs the next run a compile; this one has all it needs.
          cache.store(key, write(module));
          return module;
        });
  }

  private static byte[] write(GpuModule module) {
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      out.writeUTF(module.extension());
      out.writeInt(module.image().length);
      out.write(module.image());
      out.writeInt(module.resources().size());
      for (Map.Entry<String, Resources> entry : new TreeMap<>(module.resources()).entrySet()) {
        Resources r = entry.getValue();
        out.writeUTF(entry.getKey());
        out.writeInt(r.registers());
        out.writeInt(r.spillBytes());
        out.writeInt(r.sharedBytes());
        out.writeUTF(r.note());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private GpuModule read(byte[] bytes) {
    try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      String extension = in.readUTF();
      byte[] image = in.readNBytes(in.readInt());
      Map<String, Resources> resources = new TreeMap<>();
      for (int left = in.readInt(); left > 0; left--) {
        resources.put(
            in.readUTF(), new Resources(in.readInt(), in.readInt(), in.readInt(), in.readUTF()));
      }
      return new GpuModule(arch(), extension, image, resources);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
