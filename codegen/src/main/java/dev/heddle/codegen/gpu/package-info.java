/**
 * What the GPU targets share: one neutral body a kernel kind (Velocity templates in the resources
 * folder {@code body}), written in the vocabulary of {@code prelude_common.h}; a {@link
 * dev.heddle.codegen.gpu.Dialect} is a prelude that defines it. The host dialect runs the same
 * bodies on the CPU. Start at {@link dev.heddle.codegen.gpu.GpuCodegen}; shapes and constants of a
 * kind are in {@link dev.heddle.codegen.gpu.KernelBody}. May use {@code ir} only.
 */
package dev.heddle.codegen.gpu;
