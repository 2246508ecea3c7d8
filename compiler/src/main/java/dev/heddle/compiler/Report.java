package dev.heddle.compiler;

import dev.heddle.compiler.spec.ModelGraph;
import dev.heddle.ir.bundle.Manifest;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.Plan;
import dev.heddle.passes.Lowered;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.json.JsonMapper;

/**
 * What came of a compile: {@code report.json} of a bundle. Launches are those of the plan for the
 * fewest tokens.
 *
 * @param model the spec's name
 * @param config the config's or the file's name
 * @param layers number of layers
 * @param nodesBefore nodes of the spec's graph
 * @param nodesAfter nodes of the graph that plans compute
 * @param launchesPerLayer layers with equal numbers of launches, in order of layers
 * @param launchesOnceAStep launches that belong to no layer
 * @param kernels kernel kinds with their launches and the number of different kernels
 * @param weights stored types with the number and bytes of their tensors
 * @param copies tensors that are held in another type than they are stored in
 * @param arenas memory of each plan's step
 * @param kvBytesPerToken bytes that a position takes in all caches
 * @param passes stages that ran
 * @param arithmetic sentences: what changes results against the exact path
 * @param warnings sentences on what was ignored
 */
public record Report(
    String model,
    String config,
    int layers,
    int nodesBefore,
    int nodesAfter,
    List<Layers> launchesPerLayer,
    int launchesOnceAStep,
    List<Kernels> kernels,
    List<Stored> weights,
    List<Copy> copies,
    List<Arena> arenas,
    long kvBytesPerToken,
    List<String> passes,
    List<String> arithmetic,
    List<String> warnings) {

  /** Layers {@code first} to {@code last}, both included, of {@code launches} each. */
  public record Layers(int first, int last, int launches) {}

  /** A kind of kernel. */
  public record Kernels(String kind, int launches, int variants) {}

  /** Tensors of a type in the file. */
  public record Stored(String type, int tensors, long bytes) {}

  /** A tensor that is dequantised when loaded. */
  public record Copy(String tensor, String stored, String loaded, long bytes) {}

  /** A plan's memory. */
  public record Arena(String plan, long bytes) {}

  /** The report of a lowered model. */
  public static Report of(ModelGraph model, Lowered lowered) {
    Plan plan =
        lowered.plans().values().stream()
            .min(Comparator.comparingInt(p -> p.key().tokens()))
            .orElseThrow();
    List<Manifest.Weight> weights = Manifests.weights(model, lowered);
    return new Report(
        model.model(),
        model.config(),
        model.layers(),
        lowered.before().nodes().size(),
        lowered.after().nodes().size(),
        perLayer(plan),
        (int) plan.steps().stream().filter(l -> l.layer() < 0).count(),
        kernels(plan, lowered.kernels()),
        stored(weights),
        weights.stream()
            .filter(w -> w.stored() != w.loaded())
            .map(w ->
                new Copy(
                    w.tensor(), w.stored().text(), w.loaded().text(), w.loaded().bytes(values(w))))
            .toList(),
        lowered.plans().values().stream()
            .map(p -> new Arena(p.key().text(), p.arenaBytes()))
            .toList(),
        model.states().stream()
            .mapToLong(s -> s.type().dtype().bytes(s.type().shape().constants()))
            .sum(),
        lowered.passes(),
        lowered.arithmetic(),
        model.warnings());
  }

  /** As JSON, with the record's names. */
  public String json() {
    return JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(this);
  }

  /** As a page of text. */
  public String text() {
    return ReportText.of(this);
  }

  /** Launches for one step of the fewest tokens. */
  public int launches() {
    return kernels.stream().mapToInt(Kernels::launches).sum();
  }

  private static List<Layers> perLayer(Plan plan) {
    Map<Integer, Integer> counts = new TreeMap<>();
    plan.steps().stream()
        .filter(l -> l.layer() >= 0)
        .forEach(l -> counts.merge(l.layer(), 1, Integer::sum));
    List<Layers> runs = new ArrayList<>();
    counts.forEach((layer, launches) -> {
      boolean goesOn =
          !runs.isEmpty()
              && runs.getLast().launches() == launches
              && runs.getLast().last() == layer - 1;
      int first = goesOn ? runs.removeLast().first() : layer;
      runs.add(new Layers(first, layer, launches));
    });
    return runs;
  }

  private static List<Kernels> kernels(Plan plan, List<KernelKind> kinds) {
    Map<String, Kernels> byKind = new LinkedHashMap<>();
    Set<Integer> seen = new HashSet<>();
    for (Plan.Launch launch : plan.steps()) {
      String name = kinds.get(launch.kernel()).text();
      Kernels one = new Kernels(name, 1, seen.add(launch.kernel()) ? 1 : 0);
      byKind.merge(
          name,
          one,
          (a, b) -> new Kernels(name, a.launches() + b.launches(), a.variants() + b.variants()));
    }
    return byKind.values().stream()
        .sorted(Comparator.comparingInt(Kernels::launches).reversed())
        .toList();
  }

  private static List<Stored> stored(List<Manifest.Weight> weights) {
    Map<String, Stored> byType = new LinkedHashMap<>();
    for (Manifest.Weight w : weights) {
      Stored one = new Stored(w.stored().text(), 1, w.stored().bytes(values(w)));
      byType.merge(
          one.type(),
          one,
          (a, b) -> new Stored(a.type(), a.tensors() + b.tensors(), a.bytes() + b.bytes()));
    }
    return byType.values().stream()
        .sorted(Comparator.comparingLong(Stored::bytes).reversed())
        .toList();
  }

  private static long values(Manifest.Weight weight) {
    return weight.dims().stream().reduce(1L, Math::multiplyExact);
  }
}
