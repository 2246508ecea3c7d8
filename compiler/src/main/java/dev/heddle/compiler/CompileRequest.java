package dev.heddle.compiler;

import dev.heddle.codegen.cache.CompileCache;
import dev.heddle.ir.DType;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.PlanKeys;
import dev.heddle.ir.target.Target;
import dev.heddle.passes.Observer;
import dev.heddle.passes.PassSelection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What to compile for, and how.
 *
 * @param target the target's capabilities
 * @param vectorBits width of the vectors in generated code: 128, 256 or 512; results have the same
 *     bits for all three
 * @param passes stages to run
 * @param kv element type of KV caches
 * @param captures names of values that leave the graph beside the logits
 * @param keys plans to make
 * @param observer sees the graph after every stage
 * @param cache keeps compiled kernels, if anything does
 * @param heddle version of heddle, for the manifest
 */
public record CompileRequest(
    Target target,
    int vectorBits,
    PassSelection passes,
    DType kv,
    Set<String> captures,
    List<PlanKey> keys,
    Observer observer,
    Optional<CompileCache> cache,
    String heddle) {
  public CompileRequest {
    captures = Set.copyOf(captures);
    keys = List.copyOf(keys);
  }

  /**
   * The JVM with vectors of {@code vectorBits}: default passes, f16 caches, all standard plans,
   * nothing observed, nothing kept.
   */
  public static CompileRequest jvm(int vectorBits, String heddle) {
    return new CompileRequest(
        Target.jvm(),
        vectorBits,
        PassSelection.defaults(),
        DType.F16,
        Set.of(),
        PlanKeys.standard(),
        Observer.none(),
        Optional.empty(),
        heddle);
  }

  /** This request with other passes. */
  public CompileRequest withPasses(PassSelection other) {
    return new CompileRequest(
        target, vectorBits, other, kv, captures, keys, observer, cache, heddle);
  }

  /** This request with another type of KV caches. */
  public CompileRequest withKv(DType other) {
    return new CompileRequest(
        target, vectorBits, passes, other, captures, keys, observer, cache, heddle);
  }

  /** This request with captures. */
  public CompileRequest withCaptures(Set<String> names) {
    return new CompileRequest(target, vectorBits, passes, kv, names, keys, observer, cache, heddle);
  }

  /** This request with other plans. */
  public CompileRequest withKeys(List<PlanKey> other) {
    return new CompileRequest(
        target, vectorBits, passes, kv, captures, other, observer, cache, heddle);
  }

  /** This request with an observer. */
  public CompileRequest withObserver(Observer other) {
    return new CompileRequest(target, vectorBits, passes, kv, captures, keys, other, cache, heddle);
  }

  /** This request with a cache of compiled kernels. */
  public CompileRequest withCache(CompileCache other) {
    return new CompileRequest(
        target, vectorBits, passes, kv, captures, keys, observer, Optional.of(other), heddle);
  }
}
