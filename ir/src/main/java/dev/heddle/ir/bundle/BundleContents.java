package dev.heddle.ir.bundle;

import dev.heddle.ir.plan.Plan;
import java.util.List;

/**
 * Everything that goes into a bundle.
 *
 * @param manifest the manifest; its hashes are filled in by the writer and may be empty here
 * @param graph text form of the graph that was lowered
 * @param plans one plan for each key that the manifest lists, in that order
 * @param kernels source and binary of every kernel that the manifest names
 * @param report the fusion report as JSON
 */
public record BundleContents(
    Manifest manifest, String graph, List<Plan> plans, List<KernelFile> kernels, String report) {
  public BundleContents {
    plans = List.copyOf(plans);
    kernels = List.copyOf(kernels);
  }

  /**
   * A kernel's files.
   *
   * @param name the name in {@link Manifest.Kernel}
   * @param source generated source text
   * @param binary what the toolchain made of it (a class file for the JVM)
   */
  public record KernelFile(String name, String source, byte[] binary) {}
}
