package dev.heddle.runtime.gpu;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.ir.EnvironmentException;
import dev.heddle.ir.HeddleBug;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The table of a driver library: every entry point is looked up once, has one typed method here,
 * and every status is checked and named. Handles are fields, not constants of the class, so that a
 * process can have both vendors' libraries: 8 ns more a call, of which a step makes four.
 *
 * <p>The driver's device is current per thread: {@link GpuDevice#use} before calls of another
 * thread.
 */
public final class Driver {
  /**
   * Statuses that say something of the machine, not of heddle: memory, no device, driver too old or
   * broken.
   */
  private static final Set<Integer> ENVIRONMENT =
      Set.of(2, 3, 4, 34, 35, 46, 100, 101, 209, 218, 222, 802, 803, 804, 999);

  private static final int LONGEST_NAME = 256;

  private final Vendor vendor;
  private final Map<Entry, MethodHandle> handles = new EnumMap<>(Entry.class);

  private Driver(Vendor vendor, SymbolLookup library) {
    this.vendor = vendor;
    Linker linker = Linker.nativeLinker();
    for (Entry entry : Entry.values()) {
      if (!entry.symbol(vendor).isEmpty()) {
        handles.put(entry, handle(linker, library, entry));
      }
    }
  }

  /**
   * Loads the vendor's library and initialises the driver.
   *
   * @throws EnvironmentException if there is no library, if it is too old, or if the driver does
   *     not start
   */
  public static Driver open(Vendor vendor) {
    String property = vendor.variable().toLowerCase(Locale.ROOT).replace('_', '.');
    String named = System.getProperty(property, System.getenv(vendor.variable()));
    List<String> names = named == null || named.isEmpty() ? vendor.libraries() : List.of(named);
    return open(vendor, names);
  }

  /** As {@link #open(Vendor)}, with the first of these libraries that loads. */
  public static Driver open(Vendor vendor, List<String> libraries) {
    Driver driver = new Driver(vendor, library(vendor, libraries));
    driver.init();
    return driver;
  }

  @SuppressWarnings("restricted")
  private static SymbolLookup library(Vendor vendor, List<String> names) {
    for (String name : names) {
      try {
        return SymbolLookup.libraryLookup(name, Arena.global());
      } catch (IllegalArgumentException absent) {
        // The next name may be there; when none is, the sentence below says so.
        continue;
      }
    }
    throw new EnvironmentException(
        "no "
            + vendor.text()
            + " driver was found (looked for "
            + String.join(", ", names)
            + "): install "
            + vendor.install()
            + ", or name its library in "
            + vendor.variable());
  }

  @SuppressWarnings("restricted")
  private MethodHandle handle(Linker linker, SymbolLookup library, Entry entry) {
    String symbol = entry.symbol(vendor);
    MemorySegment address =
        library
            .find(symbol)
            .orElseThrow(() ->
                new EnvironmentException(
                    "the "
                        + vendor.text()
                        + " driver has no "
                        + symbol
                        + ", so it is too old: install "
                        + vendor.install()
                        + " of a later version"));
    return linker.downcallHandle(address, entry.type());
  }

  /** Whose driver it is. */
  public Vendor vendor() {
    return vendor;
  }

  /** Returns at once if the status is 0; else throws what it means. */
  private void check(Entry entry, int status) {
    if (status == 0) {
      return;
    }
    String message =
        entry.symbol(vendor)
            + ": "
            + text(Entry.ERROR_NAME, status)
            + " ("
            + status
            + "): "
            + text(Entry.ERROR_TEXT, status);
    if (ENVIRONMENT.contains(status)) {
      throw new EnvironmentException("the " + vendor.text() + " driver refused " + message);
    }
    throw new HeddleBug("the " + vendor.text() + " driver refused " + message);
  }

  @SuppressWarnings("restricted") // the driver gives the address of a text
  private String text(Entry entry, int status) {
    try (Arena arena = Arena.ofConfined()) {
      MemoryLayout name = MemoryLayout.sequenceLayout(LONGEST_NAME, JAVA_BYTE);
      MemorySegment out = arena.allocate(ADDRESS);
      int found = status(entry, h -> (int) h.invokeExact(status, out));
      MemorySegment text = out.get(ADDRESS.withTargetLayout(name), 0);
      return found != 0 || text.address() == 0 ? "unknown" : text.getString(0);
    }
  }

  /** Calls a handle with exact types. */
  @FunctionalInterface
  private interface Call {
    int on(MethodHandle handle) throws Throwable;
  }

  /** Calls a handle whose out pointer is {@code out}. */
  @FunctionalInterface
  private interface OutCall {
    int on(MethodHandle handle, MemorySegment out) throws Throwable;
  }

  private int status(Entry entry, Call call) {
    try {
      return call.on(handles.get(entry));
    } catch (Throwable e) {
      // A downcall handle throws only if its types are wrong.
      throw new HeddleBug(entry.symbol(vendor) + " cannot be called: " + e, e);
    }
  }

  private void run(Entry entry, Call call) {
    check(entry, status(entry, call));
  }

  /** What a function writes to its out pointer. */
  private long give(Entry entry, OutCall call) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      run(entry, h -> call.on(h, out));
      return out.get(JAVA_LONG, 0);
    }
  }

  private void init() {
    run(Entry.INIT, h -> (int) h.invokeExact(0));
  }

  /** The driver's version, as its own number: 13000 is CUDA 13.0. */
  public int version() {
    return (int) give(Entry.VERSION, (h, out) -> (int) h.invokeExact(out));
  }

  /** Devices that this process may use. */
  public int devices() {
    return (int) give(Entry.COUNT, (h, out) -> (int) h.invokeExact(out));
  }

  /** A device's name. */
  String name(int device) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(LONGEST_NAME);
      run(Entry.NAME, h -> (int) h.invokeExact(out, LONGEST_NAME, device));
      return out.getString(0);
    }
  }

  /** Bytes of a device's memory. */
  long totalMemory(int device) {
    return give(Entry.TOTAL_MEMORY, (h, out) -> (int) h.invokeExact(out, device));
  }

  /** A CUDA device's attribute by its number in cuda.h. */
  int attribute(int device, int attribute) {
    return (int) give(Entry.ATTRIBUTE, (h, out) -> (int) h.invokeExact(out, attribute, device));
  }

  /** Writes a HIP device's properties to {@code out}, which holds more than that struct. */
  void properties(MemorySegment out, int device) {
    run(Entry.PROPERTIES, h -> (int) h.invokeExact(out, device));
  }

  /** A CUDA device's primary context, held until {@link #releaseContext}. */
  long context(int device) {
    return give(Entry.CONTEXT, (h, out) -> (int) h.invokeExact(out, device));
  }

  void releaseContext(int device) {
    run(Entry.CONTEXT_END, h -> (int) h.invokeExact(device));
  }

  /** Makes a CUDA context this thread's. */
  void useContext(long context) {
    run(Entry.CONTEXT_USE, h -> (int) h.invokeExact(context));
  }

  /** Makes a HIP device this thread's. */
  void useDevice(int device) {
    run(Entry.DEVICE_USE, h -> (int) h.invokeExact(device));
  }

  /** Bytes of the current device that are free now. */
  long freeMemory() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment total = arena.allocate(JAVA_LONG);
      return give(Entry.MEMORY, (h, out) -> (int) h.invokeExact(out, total));
    }
  }

  /** Device memory. */
  long allocate(long bytes) {
    return give(Entry.ALLOCATE, (h, out) -> (int) h.invokeExact(out, bytes));
  }

  void free(long address) {
    run(Entry.FREE, h -> (int) h.invokeExact(address));
  }

  /** Pinned memory of the host. */
  long allocateHost(long bytes) {
    return give(Entry.ALLOCATE_HOST, (h, out) -> (int) h.invokeExact(out, bytes, 0));
  }

  void freeHost(long address) {
    run(Entry.FREE_HOST, h -> (int) h.invokeExact(address));
  }

  /** Queues a copy; {@code from} must stay as it is until the stream has done it. */
  void toDevice(long to, MemorySegment from, long bytes, long stream) {
    run(Entry.TO_DEVICE, h -> (int) h.invokeExact(to, from, bytes, stream));
  }

  /** Queues a copy. */
  void toHost(MemorySegment to, long from, long bytes, long stream) {
    run(Entry.TO_HOST, h -> (int) h.invokeExact(to, from, bytes, stream));
  }

  /** Queues a copy. */
  void onDevice(long to, long from, long bytes, long stream) {
    run(Entry.ON_DEVICE, h -> (int) h.invokeExact(to, from, bytes, stream));
  }

  /** Queues the filling of device memory with one byte. */
  void set(long to, byte value, long bytes, long stream) {
    run(Entry.SET, h -> (int) h.invokeExact(to, value, bytes, stream));
  }

  /** A stream that does not wait for the default stream. */
  long stream() {
    return give(Entry.STREAM, (h, out) -> (int) h.invokeExact(out, 1));
  }

  void endStream(long stream) {
    run(Entry.STREAM_END, h -> (int) h.invokeExact(stream));
  }

  /** Waits until everything queued so far is done. */
  void await(long stream) {
    run(Entry.STREAM_WAIT, h -> (int) h.invokeExact(stream));
  }

  long event() {
    return give(Entry.EVENT, (h, out) -> (int) h.invokeExact(out, 0));
  }

  void endEvent(long event) {
    run(Entry.EVENT_END, h -> (int) h.invokeExact(event));
  }

  void record(long event, long stream) {
    run(Entry.EVENT_RECORD, h -> (int) h.invokeExact(event, stream));
  }

  void awaitEvent(long event) {
    run(Entry.EVENT_WAIT, h -> (int) h.invokeExact(event));
  }

  /** Milliseconds between two events that are over. */
  float millis(long from, long to) {
    long bits = give(Entry.EVENT_TIME, (h, out) -> (int) h.invokeExact(out, from, to));
    return Float.intBitsToFloat((int) bits);
  }

  /** Loads a module from the bytes of its file. */
  long module(byte[] image) {
    try (Arena arena = Arena.ofConfined()) {
      // PTX is a text that ends in a zero byte; one more byte harms no cubin.
      MemorySegment bytes = arena.allocate(image.length + 1L, 64);
      MemorySegment.copy(image, 0, bytes, JAVA_BYTE, 0, image.length);
      return give(Entry.MODULE, (h, out) -> (int) h.invokeExact(out, bytes));
    }
  }

  void endModule(long module) {
    run(Entry.MODULE_END, h -> (int) h.invokeExact(module));
  }

  /** A kernel of a module. */
  long function(long module, String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocateFrom(name);
      return give(Entry.FUNCTION, (h, out) -> (int) h.invokeExact(out, module, text));
    }
  }

  /**
   * Queues a launch of one-dimensional blocks.
   *
   * @param arguments addresses of the values of the arguments; the driver copies them now
   */
  void launch(
      long kernel,
      int gridX,
      int gridY,
      int blockX,
      int sharedBytes,
      long stream,
      MemorySegment arguments) {
    MemorySegment none = MemorySegment.NULL;
    run(
        Entry.LAUNCH,
        h ->
            (int)
                h.invokeExact(
                    kernel, gridX, gridY, 1, blockX, 1, 1, sharedBytes, stream, arguments, none));
  }

  /** From here on the stream's work goes into a graph. Only calls of this thread count. */
  void capture(long stream) {
    int threadLocal = 1;
    run(Entry.CAPTURE, h -> (int) h.invokeExact(stream, threadLocal));
  }

  /** The graph of what was queued since {@link #capture}. */
  long endCapture(long stream) {
    return give(Entry.CAPTURE_END, (h, out) -> (int) h.invokeExact(stream, out));
  }

  /** Nodes of a graph. */
  long nodes(long graph) {
    MemorySegment none = MemorySegment.NULL;
    return give(Entry.GRAPH_NODES, (h, out) -> (int) h.invokeExact(graph, none, out));
  }

  void endGraph(long graph) {
    run(Entry.GRAPH_END, h -> (int) h.invokeExact(graph));
  }

  /** A graph made ready for replays. */
  long instantiate(long graph) {
    return give(Entry.INSTANTIATE, (h, out) -> (int) h.invokeExact(out, graph, 0L));
  }

  void replay(long ready, long stream) {
    run(Entry.REPLAY, h -> (int) h.invokeExact(ready, stream));
  }

  void endReplay(long ready) {
    run(Entry.REPLAY_END, h -> (int) h.invokeExact(ready));
  }
}
