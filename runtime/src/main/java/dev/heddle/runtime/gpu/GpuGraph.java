package dev.heddle.runtime.gpu;

/** Captured work that is replayed as it is. */
public final class GpuGraph {
  private final Driver driver;
  private final long stream;
  private final long ready;
  private final long nodes;

  GpuGraph(Driver driver, long stream, long ready, long nodes) {
    this.driver = driver;
    this.stream = stream;
    this.ready = ready;
    this.nodes = nodes;
  }

  /** Queues all of it. */
  public void replay() {
    driver.replay(ready, stream);
  }

  /** Launches, copies and fills in it. */
  public long nodes() {
    return nodes;
  }
}
