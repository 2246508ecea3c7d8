package dev.heddle.runtime;

/** Told how far long work has come. Called from one thread. */
@FunctionalInterface
public interface Progress {
  /** Tells nobody. */
  Progress NONE = (done, total) -> {};

  /** {@code done} of {@code total} units (bytes, tokens) are finished. */
  void update(long done, long total);
}
