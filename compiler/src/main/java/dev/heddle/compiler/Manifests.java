package dev.heddle.compiler;

import dev.heddle.codegen.jvm.KernelSource;
import dev.heddle.compiler.spec.ModelGraph;
import dev.heddle.ir.bundle.Manifest;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.passes.Lowered;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The manifest of a bundle: facts of the model, what the passes made of it, names of kernels. */
final class Manifests {
  private Manifests() {}

  static Manifest of(
      ModelGraph model, Lowered lowered, List<KernelSource> sources, CompileRequest request) {
    List<Manifest.Kernel> kernels = new ArrayList<>();
    for (int i = 0; i < sources.size(); i++) {
      kernels.add(new Manifest.Kernel(sources.get(i).className(), lowered.kernels().get(i)));
    }
    return new Manifest(
        Manifest.FORMAT,
        request.heddle(),
        model.model(),
        model.config(),
        model.params(),
        request.target().name(),
        request.target().arch() + "-" + request.vectorBits(),
        lowered.passes(),
        lowered.arithmetic(),
        request.kv(),
        model.contextLength(),
        model.vocabulary(),
        weights(model, lowered),
        states(model),
        lowered.ropeTables(),
        kernels,
        lowered.plans().keySet().stream().map(PlanKey::text).toList(),
        Map.of());
  }

  /** Tensors that the plans read; rope factors are read by tables alone. */
  static List<Manifest.Weight> weights(ModelGraph model, Lowered lowered) {
    return model.weights().stream()
        .filter(w -> lowered.loaded().containsKey(w.tensor()))
        .map(w ->
            new Manifest.Weight(w.tensor(), w.stored(), w.ne(), lowered.loaded().get(w.tensor())))
        .toList();
  }

  static List<Manifest.State> states(ModelGraph model) {
    List<Manifest.State> states = new ArrayList<>();
    for (ModelGraph.StateUse state : model.states()) {
      int d = Math.toIntExact(state.type().shape().last().value());
      int heads = Math.toIntExact(state.type().shape().constants() / d);
      String rollback = state.rollback().name().toLowerCase(Locale.ROOT);
      states.add(
          new Manifest.State(
              state.name(), state.layer(), state.type().dtype(), heads, d, rollback));
    }
    return states;
  }
}
