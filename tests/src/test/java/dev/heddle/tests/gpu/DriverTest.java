package dev.heddle.tests.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.codegen.gpu.Dialect;
import dev.heddle.codegen.gpu.GpuCodegen;
import dev.heddle.codegen.gpu.GpuKernel;
import dev.heddle.codegen.gpu.GpuSource;
import dev.heddle.codegen.tool.HostToolchain;
import dev.heddle.ir.EnvironmentException;
import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.abi.DeviceHeader;
import dev.heddle.runtime.gpu.Driver;
import dev.heddle.runtime.gpu.GpuDevice;
import dev.heddle.runtime.gpu.GpuEvent;
import dev.heddle.runtime.gpu.GpuGraph;
import dev.heddle.runtime.gpu.GpuQueue;
import dev.heddle.runtime.gpu.Vendor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every entry point of both drivers' tables, called through the foreign function interface. */
@Tag("needs-g++")
class DriverTest {
  private static final int N = 96;

  @TempDir Path folder;
  private FakeDriver fake;

  @AfterEach
  void givesEverythingBack() {
    if (fake != null) {
      assertEquals(
          0, fake.held(), "allocations, streams, events, modules or graphs were not given back");
      fake.reset();
    }
  }

  private FakeDriver fake(Vendor vendor) throws IOException {
    fake = FakeDriver.build(vendor, folder);
    return fake;
  }

  @ParameterizedTest
  @EnumSource(Vendor.class)
  void capturedKernelReadsWhatEachReplaysHeaderSays(Vendor vendor) throws IOException {
    var source =
        GpuCodegen.generate(
            Dialect.host(),
            List.of(new KernelKind.ArgmaxKernel(N)),
            new PlanKey(PlanKey.Rows.STEP, 1, 1));
    try (GpuDevice device = GpuDevice.open(fake(vendor).open(), 0);
        GpuQueue queue = device.queue()) {
      GpuKernel kernel = source.kernels().getFirst();
      long function = queue.load(image(source)).kernel(kernel.name());
      long header = queue.allocate(4L * DeviceHeader.ints(1, 1, 1));
      long ids = queue.allocate(4);
      long values = queue.allocate(4L * N);
      MemorySegment host = queue.allocateHost(4L * (N + DeviceHeader.ints(1, 1, 1)));
      MemorySegment first = host.asSlice(0, 4L * DeviceHeader.ints(1, 1, 1));
      MemorySegment row = host.asSlice(first.byteSize());
      first.fill((byte) 0);
      first.setAtIndex(ValueLayout.JAVA_INT, DeviceHeader.OUT_ROWS, 1);
      row.fill((byte) 0);
      row.setAtIndex(ValueLayout.JAVA_FLOAT, 17, 2.5f);
      GpuGraph graph =
          queue.capture(() ->
              queue.launch(
                  function,
                  kernel.shape().gridX(),
                  kernel.shape().gridY(),
                  kernel.shape().blockX(),
                  kernel.shape().sharedBytes(),
                  header,
                  ids,
                  values));
      assertEquals(1, graph.nodes());
      assertEquals(17, replay(queue, graph, header, first, values, row, ids, host));
      row.setAtIndex(ValueLayout.JAVA_FLOAT, 90, 3f);
      assertEquals(90, replay(queue, graph, header, first, values, row, ids, host));
    }
  }

  private static int replay(
      GpuQueue queue,
      GpuGraph graph,
      long header,
      MemorySegment first,
      long values,
      MemorySegment row,
      long ids,
      MemorySegment host) {
    queue.toDevice(header, first);
    queue.toDevice(values, row);
    graph.replay();
    MemorySegment out = host.asSlice(4L * DeviceHeader.BUCKET, 4);
    queue.toHost(out, ids);
    queue.await();
    return out.get(ValueLayout.JAVA_INT, 0);
  }

  private static byte[] image(GpuSource source) {
    return HostToolchain.find(System.getenv()).compile(source).image();
  }

  @ParameterizedTest
  @EnumSource(Vendor.class)
  void devicesAreDescribedWithTheirArchitecture(Vendor vendor) throws IOException {
    Driver driver = fake(vendor).open();
    fake.devices(2);
    GpuDevice.Facts facts = GpuDevice.describe(driver, 1);
    assertEquals(vendor.text() + ":1", facts.device());
    assertEquals("fake device 1", facts.name());
    assertEquals(vendor == Vendor.CUDA ? "sm_90" : "gfx1201", facts.arch());
    assertEquals(1L << 30, facts.totalMemory());
    assertEquals(13000, facts.driver());
  }

  @ParameterizedTest
  @EnumSource(Vendor.class)
  void copiesEventsAndBandwidth(Vendor vendor) throws IOException {
    try (GpuDevice device = GpuDevice.open(fake(vendor).open(), 0);
        GpuQueue queue = device.queue()) {
      long free = device.freeMemory();
      long memory = queue.allocate(1000);
      assertEquals(free - 1000, device.freeMemory());
      MemorySegment host = queue.allocateHost(1000);
      host.fill((byte) 7);
      queue.toDevice(memory, host);
      GpuEvent event = queue.event();
      event.record();
      event.await();
      host.fill((byte) 0);
      queue.toHost(host, memory);
      queue.await();
      assertArrayEquals(
          new byte[] {7, 7},
          new byte[] {host.get(ValueLayout.JAVA_BYTE, 0), host.get(ValueLayout.JAVA_BYTE, 999)});
      assertTrue(GpuQueue.copyBandwidth(device, 1 << 20, 2) > 0);
    }
  }

  @Test
  void statusIsNamedWithItsFunctionAndText() throws IOException {
    fake(Vendor.CUDA);
    try (GpuDevice device = GpuDevice.open(fake.open(), 0);
        GpuQueue queue = device.queue()) {
      var memory = assertThrows(EnvironmentException.class, () -> queue.allocate(2L << 30));
      assertEquals(
          "the cuda driver refused cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory",
          memory.getMessage());
      var bug = assertThrows(HeddleBug.class, () -> queue.load(new byte[64]));
      assertTrue(
          bug.getMessage()
              .contains(
                  "the cuda driver refused cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE (200): device kernel image is invalid"),
          bug.getMessage());
    }
  }

  @Test
  void writingBehindAnAllocationIsFound() throws IOException {
    fake(Vendor.CUDA);
    try (GpuDevice device = GpuDevice.open(fake.open(), 0);
        GpuQueue queue = device.queue()) {
      long memory = queue.allocate(100);
      MemorySegment host = queue.allocateHost(101);
      queue.toDevice(memory, host);
      var bug = assertThrows(HeddleBug.class, queue::await);
      assertTrue(bug.getMessage().contains("CUDA_ERROR_ILLEGAL_ADDRESS (700)"), bug.getMessage());
      fake.reset();
    }
  }

  @Test
  void missingLibraryIsOneSentence() {
    var e =
        assertThrows(
            EnvironmentException.class, () -> Driver.open(Vendor.HIP, List.of("libnowhere.so.6")));
    assertEquals(
        "no hip driver was found (looked for libnowhere.so.6): install AMD's ROCm 6 or newer, or name its library in"
            + " HEDDLE_HIP_LIBRARY",
        e.getMessage());
  }

  @Test
  void libraryWithoutTheFunctionsIsTooOld() throws IOException {
    Path library = fake(Vendor.CUDA).library();
    var e =
        assertThrows(
            EnvironmentException.class, () -> Driver.open(Vendor.HIP, List.of(library.toString())));
    assertEquals(
        "the hip driver has no hipInit, so it is too old: install AMD's ROCm 6 or newer of a later version",
        e.getMessage());
  }

  @Test
  void missingDeviceIsOneSentence() throws IOException {
    Driver driver = fake(Vendor.CUDA).open();
    var e = assertThrows(EnvironmentException.class, () -> GpuDevice.describe(driver, 3));
    assertEquals(
        "there is no device cuda:3: the cuda driver has one, cuda:0; heddle devices lists them",
        e.getMessage());
    fake.devices(0);
    assertEquals(
        "there is no device cuda:0: the cuda driver has no device; heddle devices lists them",
        assertThrows(EnvironmentException.class, () -> GpuDevice.describe(driver, 0)).getMessage());
  }
}
