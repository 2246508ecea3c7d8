package dev.heddle.runtime;

import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.abi.StepHeader;
import java.lang.foreign.MemorySegment;

/**
 * Looks into a step between its launches: for tests and for comparing with references. It may
 * change what a launch wrote (forced expert ids). Plans reuse memory, so a buffer is what the
 * launch says only until the next one. Without an observer a step costs nothing more.
 */
@FunctionalInterface
public interface Observer {
  /** Called on one thread after each launch, before the next starts. */
  void after(Launched launched);

  /** A finished launch. */
  interface Launched {
    /** The plan that runs. */
    Plan plan();

    /** Index in {@link Plan#steps()}. */
    int index();

    /** What it computed. */
    KernelKind kind();

    /** T, R, ids, positions, slots. Not to be changed. */
    StepHeader header();

    /**
     * Memory of argument {@code i}, which is a buffer of the arena: its bytes for the plan's
     * bucket, from the argument's offset.
     */
    MemorySegment buffer(int i);

    /** The launch. */
    default Plan.Launch launch() {
      return plan().steps().get(index());
    }
  }
}
