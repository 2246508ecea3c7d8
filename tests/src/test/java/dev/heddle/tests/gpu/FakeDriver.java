package dev.heddle.tests.gpu;

import dev.heddle.codegen.tool.HostToolchain;
import dev.heddle.codegen.tool.Tool;
import dev.heddle.runtime.gpu.Driver;
import dev.heddle.runtime.gpu.Vendor;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A driver library without a device, and what tests steer it with. */
@SuppressWarnings("restricted") // calls a library
final class FakeDriver {
  private final Vendor vendor;
  private final Path library;
  private final SymbolLookup symbols;

  private FakeDriver(Vendor vendor, Path library) {
    this.vendor = vendor;
    this.library = library;
    symbols = SymbolLookup.libraryLookup(library, Arena.global());
    reset();
  }

  /** Builds the library in a folder. */
  static FakeDriver build(Vendor vendor, Path folder) throws IOException {
    Path source = folder.resolve("fake_driver.cpp");
    try (InputStream in = FakeDriver.class.getResourceAsStream("fake_driver.cpp")) {
      Files.write(source, in.readAllBytes());
    }
    Path library = folder.resolve("libfake" + vendor.text() + ".so");
    Tool compiler = HostToolchain.find(System.getenv()).compiler();
    List<String> arguments =
        new ArrayList<>(List.of("-std=c++17", "-O2", "-fPIC", "-shared", "-o", library.toString()));
    if (vendor == Vendor.HIP) {
      arguments.add("-DHIP");
    }
    arguments.addAll(List.of(source.toString(), "-ldl"));
    compiler.require(compiler.run(arguments), arguments);
    return new FakeDriver(vendor, library);
  }

  Path library() {
    return library;
  }

  Driver open() {
    return Driver.open(vendor, List.of(library.toString()));
  }

  /** One device of 1 GiB, nothing fails, calls are counted from 0. */
  void reset() {
    call("fake_reset", FunctionDescriptor.ofVoid());
  }

  /** The {@code number}-th call of a function will give {@code status}. */
  void fail(String function, int number, int status) {
    try (Arena arena = Arena.ofConfined()) {
      FunctionDescriptor type =
          FunctionDescriptor.ofVoid(
              ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
      call("fake_fail", type, arena.allocateFrom(function), number, status);
    }
  }

  void memory(long bytes) {
    call("fake_memory", FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG), bytes);
  }

  void devices(int count) {
    call("fake_devices", FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT), count);
  }

  /** Allocations, streams, events, modules and graphs that nobody gave back. */
  int held() {
    return (int) call("fake_held", FunctionDescriptor.of(ValueLayout.JAVA_INT));
  }

  /** Calls of a function since the last reset. */
  int calls(String function) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(function);
      return (int)
          call(
              "fake_calls", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS), name);
    }
  }

  private Object call(String name, FunctionDescriptor type, Object... arguments) {
    MethodHandle handle =
        Linker.nativeLinker().downcallHandle(symbols.find(name).orElseThrow(), type);
    try {
      return handle.invokeWithArguments(arguments);
    } catch (Throwable e) {
      throw new AssertionError(name, e);
    }
  }
}
