package dev.heddle.gguf;

/**
 * Told how far a long work has come; called from one thread, a few times a second to a few thousand
 * times.
 */
@FunctionalInterface
public interface Progress {
  /** Tells nobody. */
  Progress NONE = (_, _, _) -> {};

  /**
   * {@code done} of {@code total} bytes are written.
   *
   * @param item the tensor that is being written
   */
  void at(long done, long total, String item);
}
