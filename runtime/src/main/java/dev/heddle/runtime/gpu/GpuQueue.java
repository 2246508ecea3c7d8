package dev.heddle.runtime.gpu;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A stream of a device, and all memory, modules, events and graphs made through it, which {@link
 * #close} gives back in reverse order. One thread at a time may use it, after {@link
 * GpuDevice#use}.
 */
public final class GpuQueue implements AutoCloseable {
  private final Driver driver;
  private final long stream;
  private final Deque<Runnable> undo = new ArrayDeque<>();

  GpuQueue(Driver driver) {
    this.driver = driver;
    stream = driver.stream();
    undo.push(() -> driver.endStream(stream));
  }

  /** Device memory of at least one byte, freed with the queue. */
  public long allocate(long bytes) {
    long address = driver.allocate(Math.max(1, bytes));
    undo.push(() -> driver.free(address));
    return address;
  }

  /**
   * Pinned memory of the host, which the device copies from and to by itself; freed with the queue.
   */
  @SuppressWarnings("restricted") // the driver gives an address
  public MemorySegment allocateHost(long bytes) {
    long address = driver.allocateHost(Math.max(1, bytes));
    undo.push(() -> driver.freeHost(address));
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  /** Loads a module, unloaded with the queue. */
  public GpuModule load(byte[] image) {
    long module = driver.module(image);
    undo.push(() -> driver.endModule(module));
    return new GpuModule(driver, module);
  }

  /** Queues a copy of all of {@code from}, which must stay as it is until {@link #await}. */
  public void toDevice(long to, MemorySegment from) {
    driver.toDevice(to, from, from.byteSize(), stream);
  }

  /** Queues a copy to all of {@code to}. */
  public void toHost(MemorySegment to, long from) {
    driver.toHost(to, from, to.byteSize(), stream);
  }

  /** Queues a launch: arguments are 8 bytes each. */
  public void launch(
      long kernel, int gridX, int gridY, int blockX, int sharedBytes, long... arguments) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment values = arena.allocateFrom(ValueLayout.JAVA_LONG, arguments);
      MemorySegment addresses = arena.allocate(ValueLayout.ADDRESS, arguments.length);
      for (int i = 0; i < arguments.length; i++) {
        addresses.setAtIndex(ValueLayout.ADDRESS, i, values.asSlice(8L * i, 8));
      }
      driver.launch(kernel, gridX, gridY, blockX, sharedBytes, stream, addresses);
    }
  }

  /** A graph of everything that {@code work} queues; nothing of it runs yet. */
  public GpuGraph capture(Runnable work) {
    driver.capture(stream);
    long graph;
    try {
      work.run();
    } catch (RuntimeException | Error e) {
      driver.endGraph(driver.endCapture(stream));
      throw e;
    }
    graph = driver.endCapture(stream);
    try {
      long nodes = driver.nodes(graph);
      long ready = driver.instantiate(graph);
      undo.push(() -> driver.endReplay(ready));
      return new GpuGraph(driver, stream, ready, nodes);
    } finally {
      driver.endGraph(graph);
    }
  }

  /** A moment in the stream, to be waited for. */
  public GpuEvent event() {
    long event = driver.event();
    undo.push(() -> driver.endEvent(event));
    return new GpuEvent(driver, stream, event);
  }

  /** Waits until everything queued so far is done. */
  public void await() {
    driver.await(stream);
  }

  /**
   * How fast the device copies within its memory: the bound of decoding, taken beside every speed
   * that is reported.
   *
   * @param bytes size of the copied buffer; take several times the last cache
   * @param repeats timed copies, of which the best counts
   * @return bytes read and written a second
   */
  public static double copyBandwidth(GpuDevice device, long bytes, int repeats) {
    try (GpuQueue queue = device.queue()) {
      long from = queue.allocate(bytes);
      long to = queue.allocate(bytes);
      GpuEvent start = queue.event();
      GpuEvent end = queue.event();
      queue.driver.set(from, (byte) 0x5a, bytes, queue.stream);
      double best = 0;
      for (int i = 0; i < repeats; i++) {
        start.record();
        queue.driver.onDevice(to, from, bytes, queue.stream);
        end.record();
        end.await();
        best = Math.max(best, 2e3 * bytes / start.millisTo(end));
      }
      return best;
    }
  }

  /**
   * Waits for what is queued and gives everything back; a failure is thrown after all was tried.
   */
  @Override
  public void close() {
    undo.push(this::await);
    RuntimeException first = null;
    while (!undo.isEmpty()) {
      try {
        undo.pop().run();
      } catch (RuntimeException e) {
        first = first == null ? e : first;
      }
    }
    if (first != null) {
      throw first;
    }
  }
}
