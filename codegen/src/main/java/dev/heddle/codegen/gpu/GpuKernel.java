package dev.heddle.codegen.gpu;

import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.LaunchShape;

/**
 * A kernel of a generated source.
 *
 * @param name its symbol
 * @param kind what it computes
 * @param shape how it is launched under the plan key that it was generated for
 */
public record GpuKernel(String name, KernelKind kind, LaunchShape shape) {}
