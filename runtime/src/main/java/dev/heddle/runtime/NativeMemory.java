package dev.heddle.runtime;

import dev.heddle.ir.EnvironmentException;
import dev.heddle.ir.HeddleBug;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * Zeroed memory outside the heap, aligned to 64 bytes. Comes from the C library's calloc, which
 * takes large blocks from the system untouched: a KV pool for a long context costs memory only
 * where it is used (an {@link java.lang.foreign.Arena} writes zeros to every page first).
 */
final class NativeMemory implements AutoCloseable {
  private static final int ALIGNMENT = 64;
  private static final MethodHandle CALLOC =
      handle(
          "calloc",
          FunctionDescriptor.of(
              ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
  private static final MethodHandle FREE =
      handle("free", FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG));

  private final List<Long> blocks = new ArrayList<>();

  /** At least one byte, zero; {@code what} is named in the error when the system refuses. */
  @SuppressWarnings("restricted")
  MemorySegment allocate(long bytes, String what) {
    long address = calloc(Math.addExact(Math.max(bytes, 1), ALIGNMENT));
    if (address == 0) {
      throw new EnvironmentException(
          "the system gives no "
              + Sizes.text(bytes)
              + " of memory for "
              + what
              + ": lower --ctx or close other programs");
    }
    blocks.add(address);
    long aligned = (address + ALIGNMENT - 1) & -ALIGNMENT;
    return MemorySegment.ofAddress(aligned).reinterpret(bytes);
  }

  /** Frees everything that was allocated here. */
  @Override
  public void close() {
    for (long address : blocks) {
      free(address);
    }
    blocks.clear();
  }

  private static long calloc(long bytes) {
    try {
      return (long) CALLOC.invokeExact(1L, bytes);
    } catch (Throwable e) {
      throw new HeddleBug("calloc failed", e);
    }
  }

  private static void free(long address) {
    try {
      FREE.invokeExact(address);
    } catch (Throwable e) {
      throw new HeddleBug("free failed", e);
    }
  }

  @SuppressWarnings("restricted")
  private static MethodHandle handle(String name, FunctionDescriptor type) {
    Linker linker = Linker.nativeLinker();
    SymbolLookup lookup = linker.defaultLookup();
    MemorySegment symbol =
        lookup
            .find(name)
            .orElseThrow(
                () -> new EnvironmentException("the C library of this system has no " + name));
    return linker.downcallHandle(symbol, type);
  }
}
