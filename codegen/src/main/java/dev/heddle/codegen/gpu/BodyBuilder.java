package dev.heddle.codegen.gpu;

import dev.heddle.ir.plan.KernelKind.Count;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Collects constants and template variables of a {@link KernelBody}. */
final class BodyBuilder {
  private final String template;
  private final String name;
  private final Count count;
  private final int gridX;
  private final int threads;
  private final Map<String, String> constants = new LinkedHashMap<>();
  private final Map<String, Object> variables = new HashMap<>();

  BodyBuilder(String template, String name, Count count, int gridX, int threads) {
    this.template = template;
    this.name = name;
    this.count = count;
    this.gridX = gridX;
    this.threads = threads;
    with("THREADS", threads);
  }

  int threads() {
    return threads;
  }

  /** A constant of the generated source. */
  BodyBuilder with(String constant, long value) {
    return with(constant, Long.toString(value));
  }

  BodyBuilder with(String constant, String value) {
    constants.put(constant, value);
    return this;
  }

  /** A variable of the template. */
  BodyBuilder say(String variable, Object value) {
    variables.put(variable, value);
    return this;
  }

  BodyBuilder say(Map<String, Object> more) {
    variables.putAll(more);
    return this;
  }

  KernelBody build() {
    return new KernelBody(template, name, count, gridX, threads, constants, variables);
  }
}
