package dev.heddle.codegen.gpu;

import dev.heddle.ir.plan.KernelKind;
import java.util.List;

/**
 * A launch and what it must leave in its first argument that is no step header.
 *
 * @param name for reports
 * @param arguments bytes, the header first
 * @param output index of the argument that the kernel writes
 * @param expected values of that argument: f32 or, for ids and bytes, i32 or u8
 */
record KernelCase(
    String name, KernelKind kind, List<byte[]> arguments, int output, Expected expected) {
  /** What is expected of an output. */
  sealed interface Expected {
    /** f32 within {@code tolerance} times the largest magnitude (NaN equals NaN). */
    record Floats(double[] values, double tolerance) implements Expected {}

    /** The same bytes. */
    record Bytes(byte[] values) implements Expected {}
  }
}
