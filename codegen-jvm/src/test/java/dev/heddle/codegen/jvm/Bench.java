package dev.heddle.codegen.jvm;

import dev.heddle.ir.plan.abi.JvmKernel;
import dev.heddle.ir.plan.abi.Scratch;
import dev.heddle.ir.plan.abi.StepHeader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Memory and launches for kernel tests: every buffer apart, with a canary behind it. */
final class Bench implements AutoCloseable {
  private static final byte CANARY = 0x5a;

  private final Arena arena = Arena.ofConfined();
  private final java.util.List<MemorySegment> all = new java.util.ArrayList<>();

  MemorySegment bytes(long n) {
    var segment = arena.allocate(n + 64, 64);
    segment.asSlice(n).fill(CANARY);
    segment.asSlice(0, n).fill((byte) 0xcb);
    all.add(segment);
    return segment.asSlice(0, n);
  }

  MemorySegment of(byte[] values) {
    var segment = bytes(values.length);
    MemorySegment.copy(values, 0, segment, ValueLayout.JAVA_BYTE, 0, values.length);
    return segment;
  }

  MemorySegment of(float... values) {
    var segment = bytes(4L * values.length);
    MemorySegment.copy(values, 0, segment, ValueLayout.JAVA_FLOAT, 0, values.length);
    return segment;
  }

  MemorySegment of(int... values) {
    var segment = bytes(4L * values.length);
    MemorySegment.copy(values, 0, segment, ValueLayout.JAVA_INT, 0, values.length);
    return segment;
  }

  static float[] floats(MemorySegment segment) {
    return segment.toArray(ValueLayout.JAVA_FLOAT);
  }

  static int[] ints(MemorySegment segment) {
    return segment.toArray(ValueLayout.JAVA_INT);
  }

  /** A header of T tokens of one sequence, positions 0 .. T-1, every row wanted. */
  static StepHeader header(int tokens) {
    var header = new StepHeader(tokens, 1, tokens);
    header.tokens = tokens;
    header.outRows = tokens;
    for (int t = 0; t < tokens; t++) {
      header.position[t] = t;
      header.outRow[t] = t;
    }
    return header;
  }

  /**
   * Runs all parts one after the other, the last one first, so that no part may rely on an earlier
   * one.
   */
  void launch(JvmKernel kernel, StepHeader header, int parts, MemorySegment... args) {
    var addresses = java.util.Arrays.stream(args).mapToLong(MemorySegment::address).toArray();
    var scratch = new Scratch();
    for (int part = parts - 1; part >= 0; part--) {
      kernel.run(addresses, header, scratch, part, parts);
    }
    for (var segment : all) {
      for (long i = segment.byteSize() - 64; i < segment.byteSize(); i++) {
        if (segment.get(ValueLayout.JAVA_BYTE, i) != CANARY) {
          throw new AssertionError("a kernel wrote behind a buffer");
        }
      }
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
