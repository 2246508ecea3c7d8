package dev.heddle.runtime;

import dev.heddle.ir.plan.RopeAngles;
import dev.heddle.ir.plan.RopeTable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Computes {@link RopeTable}s with all threads: f32[C, dims/2, 2], cosine then sine. */
final class RopeTables {
  private static final int POSITIONS = 256;

  private RopeTables() {}

  /**
   * The table for positions 0 .. context-1; {@code factors} divides frequencies and may be null.
   */
  static MemorySegment compute(
      RopeTable table, float[] factors, int context, NativeMemory memory, Team team) {
    int width = RopeAngles.rowFloats(table);
    MemorySegment out = memory.allocate(4L * width * context, "rope tables");
    team.run(
        1,
        (stage, part, parts) -> {
          float[] rows = new float[POSITIONS * width];
          for (int from = part * POSITIONS; from < context; from += parts * POSITIONS) {
            int count = Math.min(POSITIONS, context - from);
            RopeAngles.fill(table, factors, from, count, rows, 0);
            MemorySegment.copy(
                rows, 0, out, ValueLayout.JAVA_FLOAT, 4L * from * width, count * width);
          }
        });
    return out;
  }
}
