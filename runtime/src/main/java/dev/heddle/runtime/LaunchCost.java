package dev.heddle.runtime;

import dev.heddle.ir.Dim;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.KernelKind.AttentionKernel;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.KernelKind.ExpertMatmulKernel;
import dev.heddle.ir.plan.KernelKind.MatmulKernel;
import dev.heddle.ir.plan.Plan;

/**
 * A rough guess of a launch's time on one thread in nanoseconds: enough to tell launches that all
 * threads should share from those that are over sooner than threads can meet. It decides who works,
 * never what is computed.
 *
 * @param perToken nanoseconds for each token
 * @param perOutRow nanoseconds for each row of logits
 * @param perPosition nanoseconds for each cached position that each token looks at
 */
record LaunchCost(double perToken, double perOutRow, double perPosition) {
  /**
   * Weight values that one thread turns into products in a nanosecond: 5 to 9 GB/s of Q8_0
   * (measured, 256-bit vectors).
   */
  private static final double PRODUCTS = 6;

  /** Multiply-adds of attention in a nanosecond. */
  private static final double ATTENTION = 4;

  /**
   * Values read or written one by one in a nanosecond; functions such as exp are slower, copies
   * faster.
   */
  private static final double VALUES = 1;

  static LaunchCost of(Plan plan, Plan.Launch launch, KernelKind kind) {
    if (kind instanceof MatmulKernel m) {
      double products = (double) m.k() * m.m() / PRODUCTS;
      return m.count() == Count.TOKENS
          ? new LaunchCost(products, 0, 0)
          : new LaunchCost(0, products, 0);
    }
    if (kind instanceof ExpertMatmulKernel m) {
      return new LaunchCost((double) m.k() * m.m() * m.used() / PRODUCTS, 0, 0);
    }
    if (kind instanceof AttentionKernel a) {
      return new LaunchCost(0, 0, a.heads() * (double) (a.d() + a.dv()) / ATTENTION);
    }
    double perToken = 0;
    double perOutRow = 0;
    for (Plan.Arg arg : launch.args()) {
      if (arg instanceof Plan.Arg.Buf buf) {
        Plan.Buffer buffer = plan.buffers().get(buf.buffer());
        double values = buffer.bytes() / 4.0 / VALUES;
        if (buffer.type().shape().dim(0).equals(Dim.R)) {
          perOutRow += values / plan.key().outRows();
        } else {
          perToken += values / plan.key().tokens();
        }
      }
    }
    return new LaunchCost(perToken, perOutRow, 0);
  }

  /**
   * The guess for a step; {@code positions} is the sum over its tokens of the positions that each
   * looks at.
   */
  double nanos(int tokens, int outRows, double positions) {
    return perToken * tokens + perOutRow * outRows + perPosition * positions;
  }
}
