package dev.heddle.ir.plan.abi;

/**
 * The step header of GPU targets in device memory: little-endian i32, at the offsets (counted in
 * i32) given here. {@code bucket} is the largest T of the plan key, a constant of the generated
 * kernels; {@code slots} and blocks a slot are the runtime's and only read from the header.
 *
 * <p>Every GPU kernel is {@code extern "C" NAME(const void* header, void* arg0, void* arg1, ..)}:
 * the header's address, then one device address for each {@link dev.heddle.ir.plan.Plan.Arg} in the
 * order of the kernel kind.
 */
public final class DeviceHeader {
  /** T, the tokens of the step. */
  public static final int TOKENS = 0;

  /** R, the rows whose logits are wanted. */
  public static final int OUT_ROWS = 1;

  /** The bucket that the arrays behind are made for. */
  public static final int BUCKET = 2;

  /** Entries of each slot's block table. */
  public static final int BLOCKS_PER_SLOT = 3;

  private static final int FIXED = 4;

  private DeviceHeader() {}

  /** Token ids [bucket]. */
  public static int ids(int bucket) {
    return FIXED;
  }

  /** Positions [bucket]: token t attends to positions 0 .. position[t] of its sequence. */
  public static int positions(int bucket) {
    return FIXED + bucket;
  }

  /** Sequence slots [bucket]. */
  public static int slots(int bucket) {
    return FIXED + 2 * bucket;
  }

  /** Token indices of the wanted rows [bucket]. */
  public static int outRows(int bucket) {
    return FIXED + 3 * bucket;
  }

  /** Block tables [slots][blocks per slot]. */
  public static int blockTables(int bucket) {
    return FIXED + 4 * bucket;
  }

  /** Size of a whole header, in i32. */
  public static int ints(int bucket, int slots, int blocksPerSlot) {
    return Math.addExact(blockTables(bucket), Math.multiplyExact(slots, blocksPerSlot));
  }
}
