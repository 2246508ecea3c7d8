package dev.heddle.codegen.gpu;

import java.util.List;

/**
 * One source with all kernels of a bundle.
 *
 * @param dialect what it is written in
 * @param text a whole source file that includes no other
 * @param kernels in the order of the kinds that were asked for
 */
public record GpuSource(Dialect dialect, String text, List<GpuKernel> kernels) {
  public GpuSource {
    kernels = List.copyOf(kernels);
  }
}
