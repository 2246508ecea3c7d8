package dev.heddle.runtime;

import dev.heddle.ir.plan.abi.JvmKernel;
import dev.heddle.ir.plan.abi.Memory;
import dev.heddle.ir.plan.abi.Scratch;
import dev.heddle.ir.plan.abi.StepHeader;
import java.lang.foreign.ValueLayout;

/** Kernels written by hand, as small as they can be: rows of {@link TinyBundle#N} floats. */
public final class TestKernels {
  private TestKernels() {}

  /** y[t] = W[id[t]]. Args: y, W. */
  public static final class Embed implements JvmKernel {
    public Embed() {}

    @Override
    public void run(long[] address, StepHeader header, Scratch scratch, int part, int parts) {
      for (int t = part; t < header.tokens; t += parts) {
        for (int i = 0; i < 4; i++) {
          long from = address[1] + 4L * (4L * header.id[t] + i);
          float value = Memory.ALL.get(ValueLayout.JAVA_FLOAT_UNALIGNED, from);
          Memory.ALL.set(ValueLayout.JAVA_FLOAT_UNALIGNED, address[0] + 4L * (4L * t + i), value);
        }
      }
    }
  }

  /** Appends x[t] to the cache. Args: state, x. */
  public static final class Append implements JvmKernel {
    public Append() {}

    @Override
    public void run(long[] address, StepHeader header, Scratch scratch, int part, int parts) {
      for (int t = part; t < header.tokens; t += parts) {
        int p = header.position[t];
        long row = (long) header.blocks[header.slot[t]][p / 32] * 32 + p % 32;
        for (int i = 0; i < 4; i++) {
          float value =
              Memory.ALL.get(ValueLayout.JAVA_FLOAT_UNALIGNED, address[1] + 4L * (4L * t + i));
          Memory.ALL.set(ValueLayout.JAVA_FLOAT_UNALIGNED, address[0] + 4L * (4L * row + i), value);
        }
      }
    }
  }

  /**
   * y[t] = sum over cached rows 0 .. position[t], row j weighted by j + 1. Args: y, x (unused),
   * state.
   */
  public static final class History implements JvmKernel {
    public History() {}

    @Override
    public void run(long[] address, StepHeader header, Scratch scratch, int part, int parts) {
      for (int t = part; t < header.tokens; t += parts) {
        for (int i = 0; i < 4; i++) {
          float sum = 0;
          for (int p = 0; p <= header.position[t]; p++) {
            long row = (long) header.blocks[header.slot[t]][p / 32] * 32 + p % 32;
            sum +=
                (p + 1)
                    * Memory.ALL.get(
                        ValueLayout.JAVA_FLOAT_UNALIGNED, address[2] + 4L * (4L * row + i));
          }
          Memory.ALL.set(ValueLayout.JAVA_FLOAT_UNALIGNED, address[0] + 4L * (4L * t + i), sum);
        }
      }
    }
  }

  /** y[r, o] = sum_i W[o, i] x[outRow[r], i] + rope[0, 0, 0] (cos 0 = 1). Args: y, W, x, table. */
  public static final class Head implements JvmKernel {
    public Head() {}

    @Override
    public void run(long[] address, StepHeader header, Scratch scratch, int part, int parts) {
      for (int o = part; o < 8; o += parts) {
        for (int r = 0; r < header.outRows; r++) {
          float sum = Memory.ALL.get(ValueLayout.JAVA_FLOAT_UNALIGNED, address[3]);
          for (int i = 0; i < 4; i++) {
            float w =
                Memory.ALL.get(ValueLayout.JAVA_FLOAT_UNALIGNED, address[1] + 4L * (4L * o + i));
            sum +=
                w
                    * Memory.ALL.get(
                        ValueLayout.JAVA_FLOAT_UNALIGNED,
                        address[2] + 4L * (4L * header.outRow[r] + i));
          }
          Memory.ALL.set(ValueLayout.JAVA_FLOAT_UNALIGNED, address[0] + 4L * (8L * r + o), sum);
        }
      }
    }
  }

  /** Fails on its last part when the step's first token is 7. Args: none. */
  public static final class Trap implements JvmKernel {
    public Trap() {}

    @Override
    public void run(long[] address, StepHeader header, Scratch scratch, int part, int parts) {
      if (part == parts - 1 && header.id[0] == 7) {
        throw new IllegalStateException("token 7");
      }
    }
  }
}
