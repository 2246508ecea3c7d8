package dev.heddle.cli;

import dev.heddle.ir.bundle.Bundle;
import dev.heddle.ir.bundle.BundleContents;
import dev.heddle.ir.bundle.Manifest;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.Plan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a bundle holds: the facts of {@code heddle report}, read from its manifest and its plan for
 * one token.
 *
 * @param model the spec
 * @param config the config, or the name of the file
 * @param target what it was compiled for
 * @param arch the exact chip
 * @param passes passes that ran
 * @param arithmetic sentences: what changes results against the exact path
 * @param kv type of the KV caches
 * @param kvBytesPerToken bytes that a position takes in all caches
 * @param weightBytes all weights as stored
 * @param readBytesPerToken bytes of weights that decoding one token reads
 * @param copies weights without a kernel for their stored type: dequantised at load
 * @param layers launches and bytes by layer, for one token
 * @param kernels launches and distinct kernels by kind, for one token
 * @param plans launches and memory of every plan
 */
record BundleReport(
    String model,
    String config,
    String target,
    String arch,
    List<String> passes,
    List<String> arithmetic,
    String kv,
    long kvBytesPerToken,
    long weightBytes,
    long readBytesPerToken,
    List<Copy> copies,
    List<Layer> layers,
    List<Kernel> kernels,
    List<PlanFacts> plans) {

  /** A weight that has a copy in memory. */
  record Copy(String tensor, String stored, String loaded, long bytes) {}

  /** A layer of the model; -1 is what runs once a step. */
  record Layer(int layer, int launches, long readBytes) {}

  /** A kind of kernel. */
  record Kernel(String kind, int launches, int variants) {}

  /** A plan. */
  record PlanFacts(String key, int launches, long arenaBytes) {}

  /** The facts of a bundle. */
  static BundleReport of(Bundle bundle) {
    return of(bundle.manifest(), bundle.manifest().plans().stream().map(bundle::plan).toList());
  }

  /** The facts of what goes into a bundle. */
  static BundleReport of(BundleContents contents) {
    return of(contents.manifest(), contents.plans());
  }

  private static BundleReport of(Manifest manifest, List<Plan> all) {
    Plan token =
        all.stream()
            .filter(p -> p.key().text().equals("step-1"))
            .findFirst()
            .orElse(all.getFirst());
    Map<String, Manifest.Weight> weights = new HashMap<>();
    manifest.weights().forEach(w -> weights.put(w.tensor(), w));
    Map<Integer, Layer> layers = new TreeMap<>();
    Map<String, Kernel> kernels = new TreeMap<>();
    Map<Integer, String> seen = new HashMap<>();
    for (Plan.Launch launch : token.steps()) {
      KernelKind kind = manifest.kernels().get(launch.kernel()).kind();
      layers.merge(
          launch.layer(),
          new Layer(launch.layer(), 1, readBytes(kind, launch, weights)),
          (a, b) ->
              new Layer(a.layer(), a.launches() + b.launches(), a.readBytes() + b.readBytes()));
      String name = kind.getClass().getSimpleName().replace("Kernel", "");
      int fresh = seen.put(launch.kernel(), name) == null ? 1 : 0;
      kernels.merge(
          name,
          new Kernel(name, 1, fresh),
          (a, b) -> new Kernel(a.kind(), a.launches() + b.launches(), a.variants() + b.variants()));
    }
    List<PlanFacts> plans = new ArrayList<>();
    for (Plan plan : all) {
      plans.add(new PlanFacts(plan.key().text(), plan.steps().size(), plan.arenaBytes()));
    }
    return new BundleReport(
        manifest.model(),
        manifest.config(),
        manifest.target(),
        manifest.arch(),
        manifest.passes(),
        manifest.arithmetic(),
        manifest.kvType().text(),
        manifest.states().stream().mapToLong(s -> s.heads() * s.type().bytes(s.d())).sum(),
        manifest.weights().stream().mapToLong(w -> bytes(w, false)).sum(),
        layers.values().stream().mapToLong(Layer::readBytes).sum(),
        manifest.weights().stream()
            .filter(w -> w.stored() != w.loaded())
            .map(w -> new Copy(w.tensor(), w.stored().text(), w.loaded().text(), bytes(w, true)))
            .toList(),
        List.copyOf(layers.values()),
        List.copyOf(kernels.values()),
        plans);
  }

  /** Launches for one token. */
  int launches() {
    return layers.stream().mapToInt(Layer::launches).sum();
  }

  /**
   * Weight bytes that a launch of one token reads: of an embedding one row, of experts the chosen
   * ones.
   */
  private static long readBytes(
      KernelKind kind, Plan.Launch launch, Map<String, Manifest.Weight> weights) {
    long bytes = 0;
    for (Plan.Arg arg : launch.args()) {
      if (arg instanceof Plan.Arg.Weight part) {
        Manifest.Weight weight = weights.get(part.tensor());
        // The rows of a tensor with one dimension are its values.
        long row = weight.loaded().bytes(weight.dims().size() == 1 ? 1 : weight.dims().getFirst());
        long rows = part.rowTo() - part.rowFrom();
        bytes +=
            switch (kind) {
              case KernelKind.EmbedKernel embed -> row;
              case KernelKind.ExpertMatmulKernel experts ->
                  row * rows * experts.used(); // rows of one expert
              default -> row * rows;
            };
      }
    }
    return bytes;
  }

  private static long bytes(Manifest.Weight weight, boolean isLoaded) {
    long values = weight.dims().stream().reduce(1L, Math::multiplyExact);
    return (isLoaded ? weight.loaded() : weight.stored()).bytes(weight.dims().getFirst())
        * (values / weight.dims().getFirst());
  }
}
