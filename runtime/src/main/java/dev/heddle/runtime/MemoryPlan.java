package dev.heddle.runtime;

import dev.heddle.ir.EnvironmentException;

/**
 * What a model will take, known before anything is allocated. All in bytes.
 *
 * @param mapped weights used in place from the mapped file (the system's page cache, not counted as
 *     needed)
 * @param copied weights in memory of their own: dequantised copies, seeded weights
 * @param kv all KV pools
 * @param arena the largest plan's intermediate values
 * @param tables rope tables
 */
public record MemoryPlan(long mapped, long copied, long kv, long arena, long tables) {
  /** What must be free. */
  public long needed() {
    return Math.addExact(Math.addExact(copied, kv), Math.addExact(arena, tables));
  }

  /** Refuses with numbers if {@code available} bytes are too few. */
  public void check(long available, Options options) {
    if (needed() > available) {
      throw new EnvironmentException(
          "the model needs "
              + Sizes.text(needed())
              + " beside the mapped file (weights "
              + Sizes.text(copied)
              + ", KV cache "
              + Sizes.text(kv)
              + " for "
              + options.poolBlocks() * 32L
              + " positions, intermediate values "
              + Sizes.text(arena)
              + ", tables "
              + Sizes.text(tables)
              + ") but "
              + Sizes.text(available)
              + " are free on this machine: lower --ctx, use --kv q8_0, or close other programs");
    }
  }
}
