package dev.heddle.ir.plan.abi;

import java.lang.foreign.MemorySegment;

/** All of memory as one segment, so that kernels take plain addresses. */
public final class Memory {
  private Memory() {}

  /**
   * Address a is byte a of this segment. A wrong address ends the process: only generated kernels
   * use it.
   */
  @SuppressWarnings("restricted") // the one place where heddle reads memory by address
  public static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
}
