package dev.heddle.compiler.spec;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Values of the tensors that a config defines by formula: {@code with rope_freqs(llama3,
 * factor=8)}. The formula is the converter's (arch/qwen.md 1.4): long waves are stretched by the
 * factor, short ones kept, those between interpolated.
 */
public final class RopeFactors {
  private static final List<String> NAMES =
      List.of("factor", "low", "high", "original", "base", "dims");

  private final Spec spec;
  private final Params params;
  private final Weights weights;
  private final Diagnostics diagnostics;

  RopeFactors(Spec spec, Params params, Weights weights, Diagnostics diagnostics) {
    this.spec = spec;
    this.params = params;
    this.weights = weights;
    this.diagnostics = diagnostics;
  }

  /**
   * Divisors of the rope frequencies of Llama 3.
   *
   * @param dims rotated values of a head
   * @param base frequency base
   * @param factor stretch of long waves
   * @param low waves longer than original / low are stretched by the factor
   * @param high waves shorter than original / high are kept
   * @param original context of the pre-training
   * @return one divisor for each pair
   */
  public static float[] llama3(
      int dims, double base, double factor, double low, double high, double original) {
    float[] divisors = new float[dims / 2];
    for (int i = 0; i < divisors.length; i++) {
      double wave = 2 * Math.PI * Math.pow(base, 2.0 * i / dims);
      double divisor;
      if (wave < original / high) {
        divisor = 1;
      } else if (wave > original / low) {
        divisor = factor;
      } else {
        double smooth = (original / wave - low) / (high - low);
        divisor = 1 / ((1 - smooth) / factor + smooth);
      }
      divisors[i] = (float) divisor;
    }
    return divisors;
  }

  Map<String, float[]> contents(Spec.Config config) {
    Map<String, float[]> result = new LinkedHashMap<>();
    for (Spec.With with : config.with()) {
      try {
        if (!with.arguments().isEmpty()) {
          values(with, result);
        }
      } catch (Fault f) {
        diagnostics.add(f.span(), f.getMessage());
      }
    }
    return result;
  }

  private void values(Spec.With with, Map<String, float[]> result) {
    Expr.Argument kind = with.arguments().get(0);
    if (kind.name() != null
        || !(kind.value() instanceof Expr.Name n)
        || !n.name().equals("llama3")) {
      throw new Fault(
          kind.span(),
          "the values of '" + with.weight() + "' follow a formula: llama3 is the one known");
    }
    Map<String, Double> given = new LinkedHashMap<>();
    for (Expr.Argument a : with.arguments().subList(1, with.arguments().size())) {
      if (a.name() == null || !NAMES.contains(a.name())) {
        String name = a.name() == null ? "" : a.name();
        throw new Fault(
            a.span(),
            "llama3 takes factor, low, high and original by name" + Names.suggestion(name, NAMES));
      }
      given.put(a.name(), Scalars.real(a.span(), params.eval(a.value(), Map.of())));
    }
    if (!given.containsKey("factor")) {
      throw new Fault(kind.span(), "llama3 needs a factor: llama3, factor=8");
    }
    Val weight = weights.get(with.weight(), -1);
    if (!(weight instanceof Val.Weight w)) {
      throw new Fault(with.span(), "'" + with.weight() + "' is no weight outside blocks");
    }
    double base = given.containsKey("base") ? given.get("base") : key(with, "rope.freq_base");
    int dims = Math.toIntExact(2 * w.weight().shape().get(0));
    result.put(
        w.weight().tensor(),
        llama3(
            dims,
            base,
            given.get("factor"),
            given.getOrDefault("low", 1.0),
            given.getOrDefault("high", 4.0),
            given.getOrDefault("original", 8192.0)));
  }

  private double key(Spec.With with, String key) {
    List<String> names = new ArrayList<>();
    for (Spec.Param p : spec.params()) {
      if (p.value() instanceof Expr.Text t && t.value().equals(key)) {
        return Scalars.real(with.span(), params.get(p.name()));
      }
      names.add(p.name());
    }
    throw new Fault(
        with.span(), "no parameter reads '" + key + "': give llama3 its base, as in base=500000");
  }
}
