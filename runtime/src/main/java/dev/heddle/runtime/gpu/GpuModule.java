package dev.heddle.runtime.gpu;

/** Loaded code. */
public final class GpuModule {
  private final Driver driver;
  private final long handle;

  GpuModule(Driver driver, long handle) {
    this.driver = driver;
    this.handle = handle;
  }

  /** A kernel by its symbol, for {@link GpuDevice#launch}. */
  public long kernel(String name) {
    return driver.function(handle, name);
  }
}
