package dev.heddle.runtime.gpu;

/** A moment in a device's stream. */
public final class GpuEvent {
  private final Driver driver;
  private final long stream;
  private final long handle;

  GpuEvent(Driver driver, long stream, long handle) {
    this.driver = driver;
    this.stream = stream;
    this.handle = handle;
  }

  /** The moment is when everything queued so far is done. */
  public void record() {
    driver.record(handle, stream);
  }

  /** Waits for the moment; returns at once if none was recorded. */
  public void await() {
    driver.awaitEvent(handle);
  }

  /** Milliseconds to a later moment; both are over. */
  public float millisTo(GpuEvent later) {
    return driver.millis(handle, later.handle);
  }
}
