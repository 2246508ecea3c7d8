package dev.heddle.runtime.gpu;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;

/**
 * The entry points that heddle calls, with their names in both libraries. All give a status. Memory
 * that Java passes is an address; handles and device pointers are longs.
 */
enum Entry {
  INIT("cuInit", "hipInit", JAVA_INT),
  VERSION("cuDriverGetVersion", "hipDriverGetVersion", ADDRESS),
  COUNT("cuDeviceGetCount", "hipGetDeviceCount", ADDRESS),
  NAME("cuDeviceGetName", "hipDeviceGetName", ADDRESS, JAVA_INT, JAVA_INT),
  TOTAL_MEMORY("cuDeviceTotalMem_v2", "hipDeviceTotalMem", ADDRESS, JAVA_INT),
  ERROR_NAME("cuGetErrorName", "hipDrvGetErrorName", JAVA_INT, ADDRESS),
  ERROR_TEXT("cuGetErrorString", "hipDrvGetErrorString", JAVA_INT, ADDRESS),
  MEMORY("cuMemGetInfo_v2", "hipMemGetInfo", ADDRESS, ADDRESS),
  ALLOCATE("cuMemAlloc_v2", "hipMalloc", ADDRESS, JAVA_LONG),
  FREE("cuMemFree_v2", "hipFree", JAVA_LONG),
  ALLOCATE_HOST("cuMemHostAlloc", "hipHostMalloc", ADDRESS, JAVA_LONG, JAVA_INT),
  FREE_HOST("cuMemFreeHost", "hipHostFree", JAVA_LONG),
  TO_DEVICE("cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync", JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG),
  TO_HOST("cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync", ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG),
  ON_DEVICE(
      "cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
  SET("cuMemsetD8Async", "hipMemsetD8Async", JAVA_LONG, JAVA_BYTE, JAVA_LONG, JAVA_LONG),
  STREAM("cuStreamCreate", "hipStreamCreateWithFlags", ADDRESS, JAVA_INT),
  STREAM_END("cuStreamDestroy_v2", "hipStreamDestroy", JAVA_LONG),
  STREAM_WAIT("cuStreamSynchronize", "hipStreamSynchronize", JAVA_LONG),
  EVENT("cuEventCreate", "hipEventCreateWithFlags", ADDRESS, JAVA_INT),
  EVENT_END("cuEventDestroy_v2", "hipEventDestroy", JAVA_LONG),
  EVENT_RECORD("cuEventRecord", "hipEventRecord", JAVA_LONG, JAVA_LONG),
  EVENT_WAIT("cuEventSynchronize", "hipEventSynchronize", JAVA_LONG),
  EVENT_TIME("cuEventElapsedTime", "hipEventElapsedTime", ADDRESS, JAVA_LONG, JAVA_LONG),
  MODULE("cuModuleLoadData", "hipModuleLoadData", ADDRESS, ADDRESS),
  MODULE_END("cuModuleUnload", "hipModuleUnload", JAVA_LONG),
  FUNCTION("cuModuleGetFunction", "hipModuleGetFunction", ADDRESS, JAVA_LONG, ADDRESS),
  LAUNCH(
      "cuLaunchKernel",
      "hipModuleLaunchKernel",
      JAVA_LONG,
      JAVA_INT,
      JAVA_INT,
      JAVA_INT,
      JAVA_INT,
      JAVA_INT,
      JAVA_INT,
      JAVA_INT,
      JAVA_LONG,
      ADDRESS,
      ADDRESS),
  CAPTURE("cuStreamBeginCapture_v2", "hipStreamBeginCapture", JAVA_LONG, JAVA_INT),
  CAPTURE_END("cuStreamEndCapture", "hipStreamEndCapture", JAVA_LONG, ADDRESS),
  GRAPH_NODES("cuGraphGetNodes", "hipGraphGetNodes", JAVA_LONG, ADDRESS, ADDRESS),
  GRAPH_END("cuGraphDestroy", "hipGraphDestroy", JAVA_LONG),
  INSTANTIATE(
      "cuGraphInstantiateWithFlags", "hipGraphInstantiateWithFlags", ADDRESS, JAVA_LONG, JAVA_LONG),
  REPLAY("cuGraphLaunch", "hipGraphLaunch", JAVA_LONG, JAVA_LONG),
  REPLAY_END("cuGraphExecDestroy", "hipGraphExecDestroy", JAVA_LONG),

  /** Of CUDA alone: attributes, and contexts, which HIP has only behind hipSetDevice. */
  ATTRIBUTE("cuDeviceGetAttribute", "", ADDRESS, JAVA_INT, JAVA_INT),
  CONTEXT("cuDevicePrimaryCtxRetain", "", ADDRESS, JAVA_INT),
  CONTEXT_END("cuDevicePrimaryCtxRelease_v2", "", JAVA_INT),
  CONTEXT_USE("cuCtxSetCurrent", "", JAVA_LONG),

  /** Of HIP alone. */
  PROPERTIES("", "hipGetDevicePropertiesR0600", ADDRESS, JAVA_INT),
  DEVICE_USE("", "hipSetDevice", JAVA_INT);

  private final String cuda;
  private final String hip;
  private final FunctionDescriptor type;

  Entry(String cuda, String hip, MemoryLayout... arguments) {
    this.cuda = cuda;
    this.hip = hip;
    type = FunctionDescriptor.of(JAVA_INT, arguments);
  }

  /** Its name in a vendor's library; empty if that has no such function. */
  String symbol(Vendor vendor) {
    return switch (vendor) {
      case CUDA -> cuda;
      case HIP -> hip;
    };
  }

  /** Arguments, and the status that it gives. */
  FunctionDescriptor type() {
    return type;
  }
}
