package dev.heddle.compiler.spec;

import dev.heddle.ir.DType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Where weights come from: a file's tensors, or what a config would have. */
sealed interface WeightSource {
  /** The config's or file's name. */
  String name();

  /**
   * The tensor of one alternative, or empty if the model has none.
   *
   * @param needed dimensions declared; with a row range the tensor may have more rows
   * @param ordinal index of the alternative
   */
  Optional<ModelFacts.Tensor> tensor(
      Spec.Weight weight, String tensor, List<Long> needed, int ordinal);

  /** True if another weight stands in for this one though a tensor could exist. */
  boolean prefersOther(Spec.Weight weight);

  /** Name of the tensor that scales products with this one, or null. */
  String scale(String tensor);

  /** True if the model has any tensor that begins so. */
  boolean hasPrefix(String prefix);

  /** A file. */
  record FromFile(ModelFacts facts, Set<String> names) implements WeightSource {
    FromFile(ModelFacts facts) {
      this(facts, new HashSet<>(facts.tensorNames()));
    }

    @Override
    public String name() {
      return facts.name();
    }

    @Override
    public Optional<ModelFacts.Tensor> tensor(
        Spec.Weight weight, String tensor, List<Long> needed, int ordinal) {
      return facts.tensor(tensor);
    }

    @Override
    public boolean prefersOther(Spec.Weight weight) {
      return false;
    }

    @Override
    public String scale(String tensor) {
      for (String candidate : scaleNames(tensor)) {
        if (names.contains(candidate)) {
          return candidate;
        }
      }
      return null;
    }

    @Override
    public boolean hasPrefix(String prefix) {
      return names.stream().anyMatch(n -> n.startsWith(prefix));
    }
  }

  /** A config: each weight is its first tensor; optional ones exist if the config lists them. */
  record FromConfig(Spec.Config config, TypeRecipe recipe, int layers) implements WeightSource {
    @Override
    public String name() {
      return config.name();
    }

    @Override
    public Optional<ModelFacts.Tensor> tensor(
        Spec.Weight weight, String tensor, List<Long> needed, int ordinal) {
      if (ordinal > 0 || weight.optional() && !isListed(weight)) {
        return Optional.empty();
      }
      DType type = recipe.type(tensor, needed, layers, config.has("tied"));
      return Optional.of(new ModelFacts.Tensor(type, needed));
    }

    @Override
    public boolean prefersOther(Spec.Weight weight) {
      return weight.block() == null ? config.has("tied") : !isListed(weight);
    }

    private boolean isListed(Spec.Weight weight) {
      String full =
          weight.block() == null ? weight.name() : weight.block().name() + "." + weight.name();
      return config.with().stream()
          .anyMatch(w -> w.weight().equals(weight.name()) || w.weight().equals(full));
    }

    @Override
    public String scale(String tensor) {
      return null;
    }

    @Override
    public boolean hasPrefix(String prefix) {
      return true;
    }
  }

  /** The two spellings of a weight's scale. */
  static List<String> scaleNames(String tensor) {
    List<String> list = new ArrayList<>();
    if (tensor.endsWith(".weight")) {
      list.add(tensor.substring(0, tensor.length() - ".weight".length()) + ".scale");
      list.add(tensor + ".scale");
    }
    return list;
  }
}
