package dev.heddle.runtime;

/**
 * The KV pools have no free block left: release or truncate a sequence and run the step again.
 * Nothing has changed.
 */
public final class OutOfBlocksException extends StepException {
  private static final long serialVersionUID = 1L;

  OutOfBlocksException(int wanted, int free, int all) {
    super(
        "the step needs "
            + wanted
            + " more KV blocks of 32 positions but "
            + free
            + " of "
            + all
            + " are free: close a sequence or give more memory to the cache");
  }
}
