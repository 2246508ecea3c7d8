package dev.heddle.compiler.spec;

import dev.heddle.ir.Op;
import java.util.LinkedHashMap;
import java.util.Map;

/** GGUF metadata from resolved parameters: what a file of this model would say. */
final class Metadata {
  private Metadata() {}

  static Map<String, Object> of(Spec spec, Params params) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("general.architecture", spec.model());
    for (Spec.Param p : spec.params()) {
      if (p.value() instanceof Expr.Text key) {
        put(map, spec.model() + "." + key.value(), params.get(p.name()));
      }
    }
    return map;
  }

  private static void put(Map<String, Object> map, String key, Val v) {
    switch (v) {
      case Val.Scaling s ->
          scaling(map, key.endsWith("*") ? key.substring(0, key.length() - 1) : key + ".", s);
      case Val.Items i -> {
        if (!i.items().isEmpty()) {
          boolean uniform = i.items().stream().distinct().count() == 1;
          map.put(
              key,
              uniform ? plain(i.items().get(0)) : i.items().stream().map(Metadata::plain).toList());
        }
      }
      case Val.None n -> {}
      default -> map.put(key, plain(v));
    }
  }

  private static void scaling(Map<String, Object> map, String prefix, Val.Scaling s) {
    switch (s.scaling()) {
      case Op.RopeScaling.None n -> {
        if (s.longrope()) {
          longrope(map, prefix, s, 1);
        }
      }
      case Op.RopeScaling.Linear l -> {
        map.put(prefix + "type", "linear");
        map.put(prefix + "factor", l.factor());
      }
      case Op.RopeScaling.Yarn y -> {
        if (s.longrope()) {
          longrope(map, prefix, s, y.attnFactor());
          return;
        }
        map.put(prefix + "type", "yarn");
        map.put(prefix + "factor", y.factor());
        map.put(prefix + "original_context_length", (long) y.originalContext());
        map.put(prefix + "attn_factor", y.attnFactor());
        map.put(prefix + "yarn_beta_fast", y.betaFast());
        map.put(prefix + "yarn_beta_slow", y.betaSlow());
      }
    }
  }

  private static void longrope(
      Map<String, Object> map, String prefix, Val.Scaling s, double attention) {
    map.put(prefix + "type", "longrope");
    map.put(prefix + "original_context_length", (long) s.originalContext());
    map.put(prefix + "attn_factor", attention);
  }

  private static Object plain(Val v) {
    return switch (v) {
      case Val.Int i -> i.value();
      case Val.Real r -> r.value();
      case Val.Bool b -> b.value();
      default -> v.toString();
    };
  }
}
