package dev.heddle.compiler.spec;

import java.util.HashMap;
import java.util.Map;

/** Parameters of a model that is known by a config of the spec. */
final class ConfigSource implements ParamSource {
  private final String model;
  private final Spec.Config config;
  private final Map<String, Expr> settings = new HashMap<>();

  ConfigSource(Spec spec, Spec.Config config, Map<String, Long> overrides) {
    this.model = spec.model();
    this.config = config;
    config.settings().forEach(s -> settings.put(s.name(), s.value()));
    overrides.forEach(
        (name, value) -> settings.put(name, new Expr.Number(config.span(), value, true)));
  }

  @Override
  public String name() {
    return config.name();
  }

  @Override
  public Expr setting(String param) {
    return settings.get(param);
  }

  @Override
  public String key(String key) {
    return model + "." + key;
  }

  @Override
  public Val metadata(Spec.Param param, String key) {
    return null;
  }

  @Override
  public Val scaling(Spec.Param param, String key) {
    return null;
  }

  @Override
  public String missing(Spec.Param param, String key) {
    return "config '"
        + config.name()
        + "' (line "
        + config.span().line()
        + ") does not set '"
        + param.name()
        + "', which has no default";
  }

  @Override
  public long rows(Span span, String tensor) {
    throw new Fault(
        span,
        "config '"
            + config.name()
            + "' has no file to take the rows of '"
            + tensor
            + "' from: set the parameter in the config");
  }
}
