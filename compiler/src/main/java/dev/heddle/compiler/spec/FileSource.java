package dev.heddle.compiler.spec;

import dev.heddle.ir.Op;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** Parameters of a model that is a file. */
final class FileSource implements ParamSource {
  private final String model;
  private final ModelFacts facts;

  FileSource(String model, ModelFacts facts) {
    this.model = model;
    this.facts = facts;
  }

  @Override
  public String name() {
    return facts.name();
  }

  @Override
  public Expr setting(String param) {
    return null;
  }

  @Override
  public String key(String key) {
    return model + "." + key;
  }

  @Override
  public Val metadata(Spec.Param param, String key) {
    return facts.metadata(key(key)).map(raw -> value(param, key, raw)).orElse(null);
  }

  private Val value(Spec.Param param, String key, Object raw) {
    return switch (raw) {
      case Boolean b -> new Val.Bool(b);
      case Float f -> new Val.Real(Double.parseDouble(f.toString()));
      case Double d -> new Val.Real(d);
      case Number n -> new Val.Int(n.longValue());
      case String s -> new Val.Text(s);
      case List<?> list -> {
        checkLength(param, key, list.size());
        yield new Val.Items(list.stream().map(x -> value(param, key, x)).toList());
      }
      default -> {
        if (!raw.getClass().isArray()) {
          throw new Fault(
              param.span(),
              "'" + key(key) + "' in " + name() + " is a " + raw.getClass().getSimpleName());
        }
        int n = Array.getLength(raw);
        checkLength(param, key, n);
        List<Val> list = new ArrayList<>();
        for (int i = 0; i < n; i++) {
          list.add(value(param, key, Array.get(raw, i)));
        }
        yield new Val.Items(list);
      }
    };
  }

  private void checkLength(Spec.Param param, String key, int n) {
    if (n > Params.LONGEST_ARRAY) {
      throw new Fault(
          param.span(),
          "'"
              + key(key)
              + "' in "
              + name()
              + " has "
              + n
              + " entries; at most "
              + Params.LONGEST_ARRAY
              + " are believed");
    }
  }

  @Override
  public Val scaling(Spec.Param param, String pattern) {
    String prefix =
        pattern.endsWith("*") ? pattern.substring(0, pattern.length() - 1) : pattern + ".";
    Val type = metadata(param, prefix + "type");
    OptionalDouble factor = number(param, prefix + "factor");
    if (factor.isEmpty()) {
      factor = number(param, "rope.scale_linear");
    }
    if (type == null && factor.isEmpty()) {
      return null;
    }
    String kind = type instanceof Val.Text t ? t.value() : "linear";
    double f = factor.orElse(0);
    if (f < 0 || Double.isNaN(f)) {
      throw new Fault(
          param.span(),
          "'" + key(prefix + "factor") + "' in " + name() + " is " + f + "; a factor is positive");
    }
    double original =
        number(param, prefix + "original_context_length")
            .orElse(number(param, "context_length").orElse(0));
    double attention = number(param, prefix + "attn_factor").orElse(1);
    return switch (kind) {
      case "none" -> NO_SCALING;
      case "linear" ->
          f == 0 || f == 1 ? NO_SCALING : new Val.Scaling(new Op.RopeScaling.Linear(f), false, 0);
      case "yarn" -> yarn(param, prefix, f, original, attention);
      // The factors of a pair replace the scaling; the magnitude is yarn's with nothing to stretch.
      case "longrope" ->
          new Val.Scaling(
              attention == 1
                  ? new Op.RopeScaling.None()
                  : new Op.RopeScaling.Yarn(1, original, attention, 32, 1),
              true,
              original);
      default ->
          throw new Fault(
              param.span(),
              "'"
                  + key(prefix + "type")
                  + "' in "
                  + name()
                  + " is \""
                  + kind
                  + "\"; rope scalings known are none, linear, yarn and longrope");
    };
  }

  private Val yarn(Spec.Param param, String prefix, double f, double original, double attention) {
    if (f == 0 || f == 1) {
      return NO_SCALING;
    }
    double extrapolation = number(param, prefix + "yarn_ext_factor").orElse(1);
    if (extrapolation != 1) {
      throw new Fault(
          param.span(),
          "'"
              + key(prefix + "yarn_ext_factor")
              + "' in "
              + name()
              + " is "
              + extrapolation
              + "; only 1 is supported");
    }
    double fast = number(param, prefix + "yarn_beta_fast").orElse(32);
    double slow = number(param, prefix + "yarn_beta_slow").orElse(1);
    return new Val.Scaling(
        new Op.RopeScaling.Yarn(f, original, attention, fast, slow), false, original);
  }

  private OptionalDouble number(Spec.Param param, String key) {
    Val v = metadata(param, key);
    if (v == null) {
      return OptionalDouble.empty();
    }
    if (!Scalars.isNumber(v)) {
      throw new Fault(
          param.span(), "'" + key(key) + "' in " + name() + " is " + v.kind() + ", not a number");
    }
    return OptionalDouble.of(Scalars.real(param.span(), v));
  }

  @Override
  public String missing(Spec.Param param, String key) {
    return name() + " has no metadata '" + key(key) + "', which '" + param.name() + "' needs";
  }

  @Override
  public long rows(Span span, String tensor) {
    ModelFacts.Tensor t =
        facts
            .tensor(tensor)
            .orElseThrow(() -> new Fault(span, name() + " has no tensor '" + tensor + "'"));
    if (t.ne().size() < 2) {
      throw new Fault(
          span, "'" + tensor + "' in " + name() + " has shape " + t.ne() + ": it has no rows");
    }
    return t.ne().get(1);
  }
}
