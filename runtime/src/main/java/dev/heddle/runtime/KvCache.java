package dev.heddle.runtime;

import dev.heddle.ir.DType;
import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.bundle.Manifest;
import dev.heddle.ir.plan.abi.StepHeader;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * KV states in blocks of 32 positions. Every state has a pool of the same number of blocks, and a
 * block's number is the same in all pools, so that one table a sequence serves every layer. In a
 * pool, block b starts at byte b x 32 x row bytes; a row is a position's {@code heads * d} values
 * in the state's type. Blocks are not cleared: kernels read no position that was not written.
 */
final class KvCache {
  private static final Set<DType> TYPES = EnumSet.of(DType.F32, DType.F16, DType.BF16, DType.Q8_0);

  private final Map<String, MemorySegment> pools = new HashMap<>();
  private final int[][] tables;
  private final int[] used;
  private final int[] length;
  private final boolean[] isOpen;
  private final int[] free;
  private int freeCount;

  /** Allocates the pools in {@code memory}; the block tables are the header's. */
  KvCache(List<Manifest.State> states, int blocks, StepHeader header, NativeMemory memory) {
    for (Manifest.State state : states) {
      pools.put(
          state.name(),
          memory.allocate(Math.multiplyExact(blocks, blockBytes(state)), "the KV cache"));
    }
    tables = header.blocks;
    used = new int[tables.length];
    length = new int[tables.length];
    isOpen = new boolean[tables.length];
    free = new int[blocks];
    for (int i = 0; i < blocks; i++) {
      free[i] = blocks - 1 - i;
    }
    freeCount = blocks;
  }

  /** Blocks that hold {@code positions}. */
  static int blocksOf(int positions) {
    return (int) (((long) positions + StepHeader.BLOCK - 1) / StepHeader.BLOCK);
  }

  /** Bytes of one block of a state's pool. */
  static long blockBytes(Manifest.State state) {
    if (!TYPES.contains(state.type())) {
      throw new HeddleBug(
          "state " + state.name() + " has type " + state.type().text() + ", which no KV pool has");
    }
    if (!state.rollback().equalsIgnoreCase("append")) {
      throw new HeddleBug(
          "state "
              + state.name()
              + " has rollback class "
              + state.rollback()
              + "; only append is paged");
    }
    return StepHeader.BLOCK * state.type().bytes((long) state.heads() * state.d());
  }

  /** The pool of a state. */
  MemorySegment pool(String state) {
    MemorySegment pool = pools.get(state);
    if (pool == null) {
      throw new HeddleBug("a plan reads state " + state + ", which the manifest does not list");
    }
    return pool;
  }

  /** Opens an empty sequence and gives its slot. */
  int open() {
    for (int slot = 0; slot < isOpen.length; slot++) {
      if (!isOpen[slot]) {
        isOpen[slot] = true;
        return slot;
      }
    }
    throw new StepException("all " + isOpen.length + " sequences are in use: release one first");
  }

  /** Ends a sequence; its blocks are free again. */
  void release(int slot) {
    truncate(slot, 0);
    isOpen[slot] = false;
  }

  /** Positions of a sequence. */
  int length(int slot) {
    requireOpen(slot);
    return length[slot];
  }

  /** Forgets all positions from {@code positions} on. */
  void truncate(int slot, int positions) {
    requireOpen(slot);
    if (positions < 0 || positions > length[slot]) {
      throw new StepException(
          "sequence "
              + slot
              + " has "
              + length[slot]
              + " positions and cannot be cut to "
              + positions
              + ": give 0 to its length");
    }
    int keep = blocksOf(positions);
    while (used[slot] > keep) {
      free[freeCount++] = tables[slot][--used[slot]];
    }
    length[slot] = positions;
  }

  /** Blocks that a sequence still needs to hold {@code positions}. */
  int missing(int slot, int positions) {
    return Math.max(0, blocksOf(positions) - used[slot]);
  }

  int freeBlocks() {
    return freeCount;
  }

  int allBlocks() {
    return free.length;
  }

  /**
   * Gives a sequence the blocks for {@code positions}; the caller has compared {@link #missing}
   * with {@link #freeBlocks}.
   */
  void reserve(int slot, int positions) {
    int wanted = blocksOf(positions);
    while (used[slot] < wanted) {
      tables[slot][used[slot]++] = free[--freeCount];
    }
  }

  /** The step that wrote up to {@code positions} is complete. */
  void commit(int slot, int positions) {
    length[slot] = positions;
  }

  void requireOpen(int slot) {
    if (slot < 0 || slot >= isOpen.length || !isOpen[slot]) {
      throw new StepException(
          "sequence "
              + slot
              + " is not open: open one first (there are "
              + isOpen.length
              + " slots)");
    }
  }
}
