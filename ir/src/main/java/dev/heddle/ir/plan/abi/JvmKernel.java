package dev.heddle.ir.plan.abi;

/**
 * What every generated JVM kernel class implements. The class has a public constructor without
 * arguments and no state.
 *
 * <p>Addresses are absolute native addresses (mapped file, arena, pools, tables), read through one
 * constant segment over all memory ({@link Memory#ALL}): an argument costs a long, and every access
 * site sees one segment class.
 */
public interface JvmKernel {
  /**
   * Computes this thread's share of one launch; the union over {@code part} in 0 .. parts-1 is the
   * whole result. Allocates nothing once the scratch has grown.
   *
   * @param address one address an argument, in the order of the kernel kind
   * @param header the step
   * @param scratch this thread's scratch arrays
   * @param part this thread
   * @param parts number of threads
   */
  void run(long[] address, StepHeader header, Scratch scratch, int part, int parts);
}
