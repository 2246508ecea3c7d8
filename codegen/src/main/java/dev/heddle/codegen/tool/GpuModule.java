package dev.heddle.codegen.tool;

import dev.heddle.ir.plan.Resources;
import java.util.Map;

/**
 * What a toolchain made of a source.
 *
 * @param arch the chip
 * @param extension of its file in a bundle, {@code kernels/ARCH/module.EXTENSION}: cubin, ptx, co,
 *     so
 * @param image the file's bytes
 * @param resources what each kernel uses, by name
 */
public record GpuModule(
    String arch, String extension, byte[] image, Map<String, Resources> resources) {
  public GpuModule {
    resources = Map.copyOf(resources);
  }
}
