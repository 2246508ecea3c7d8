package dev.heddle.runtime;

import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.Op;
import dev.heddle.ir.plan.RopeTable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Computes {@link RopeTable}s: f32[C, dims/2, 2], cosine then sine. */
final class RopeTables {
  private RopeTables() {}

  /** The table for positions 0 .. context-1; {@code factors} divides frequencies and may be null. */
  static MemorySegment compute(RopeTable table, float[] factors, int context, NativeMemory memory) {
    int pairs = table.dims() / 2;
    MemorySegment out = memory.allocate(8L * pairs * context, "rope tables");
    if (!(table.scaling() instanceof Op.RopeScaling.None)) {
      throw new HeddleBug("rope scaling " + table.scaling());
    }
    for (int i = 0; i < pairs; i++) {
      double frequency = Math.pow(table.base(), -2.0 * i / table.dims()) / (factors == null ? 1 : factors[i]);
      for (int position = 0; position < context; position++) {
        double angle = position * frequency;
        long at = 2 * ((long) position * pairs + i);
        out.setAtIndex(ValueLayout.JAVA_FLOAT, at, (float) Math.cos(angle));
        out.setAtIndex(ValueLayout.JAVA_FLOAT, at + 1, (float) Math.sin(angle));
      }
    }
    return out;
  }
}
