package dev.heddle.runtime;

import dev.heddle.ir.EnvironmentException;

/**
 * How a model is run.
 *
 * @param threads threads of the team; more than the machine has CPUs are never started
 * @param context positions that one sequence may have, at least 1
 * @param slots sequences that may be open at once, at least 1
 * @param blocks KV blocks of 32 positions in each pool, shared by all sequences; 0 = enough for
 *     every slot's whole context
 */
public record Options(int threads, int context, int slots, int blocks) {
  public Options {
    if (threads < 1 || context < 1 || slots < 1 || blocks < 0) {
      throw new IllegalArgumentException(
          "threads, context and slots are at least 1 and blocks at least 0, not "
              + threads
              + ", "
              + context
              + ", "
              + slots
              + ", "
              + blocks);
    }
  }

  /** One sequence of {@code context} positions on all CPUs. */
  public static Options of(int context) {
    return new Options(Runtime.getRuntime().availableProcessors(), context, 1, 0);
  }

  /** These options with other threads. */
  public Options withThreads(int other) {
    return new Options(other, context, slots, blocks);
  }

  /** These options with other slots. */
  public Options withSlots(int other) {
    return new Options(threads, context, other, blocks);
  }

  /** These options with a fixed number of KV blocks. */
  public Options withBlocks(int other) {
    return new Options(threads, context, slots, other);
  }

  /** Blocks in each pool. */
  int poolBlocks() {
    long all = blocks > 0 ? blocks : (long) slots * KvCache.blocksOf(context);
    if (all > Integer.MAX_VALUE) {
      throw new EnvironmentException(
          slots
              + " sequences of "
              + context
              + " positions need "
              + all
              + " KV blocks, more than there can be: lower --ctx");
    }
    return (int) all;
  }
}
