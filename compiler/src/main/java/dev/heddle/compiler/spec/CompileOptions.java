package dev.heddle.compiler.spec;

import dev.heddle.ir.DType;
import java.util.Map;
import java.util.Set;

/**
 * What a compile asks of the elaboration.
 *
 * @param kvType element type of KV states
 * @param captures captures that leave the graph: a name, or a name and a layer ("hidden[3]")
 * @param limit longest sequence, for the choice between long and short rope factors; 0 = the
 *     model's context length
 * @param overrides parameters of a config that take other values ("L" = 3); empty for files
 */
public record CompileOptions(
    DType kvType, Set<String> captures, long limit, Map<String, Long> overrides) {
  /** f16 caches, no captures, the model's own context. */
  public static final CompileOptions DEFAULT = new CompileOptions(DType.F16, Set.of(), 0, Map.of());

  public CompileOptions {
    captures = Set.copyOf(captures);
    overrides = Map.copyOf(overrides);
  }

  /** These options with another element type of KV states. */
  public CompileOptions withKv(DType type) {
    return new CompileOptions(type, captures, limit, overrides);
  }

  /** These options with captures. */
  public CompileOptions withCaptures(Set<String> names) {
    return new CompileOptions(kvType, names, limit, overrides);
  }

  /** These options with a longest sequence. */
  public CompileOptions withLimit(long positions) {
    return new CompileOptions(kvType, captures, positions, overrides);
  }

  /** These options with another value of a config's parameter. */
  public CompileOptions withOverrides(Map<String, Long> values) {
    return new CompileOptions(kvType, captures, limit, values);
  }
}
