/**
 * GPU drivers through the foreign function interface: {@link dev.heddle.runtime.gpu.Entry} lists
 * the entry points, {@link dev.heddle.runtime.gpu.Driver} is the table of one vendor's library,
 * {@link dev.heddle.runtime.gpu.GpuDevice} an opened device, {@link
 * dev.heddle.runtime.gpu.GpuQueue} a stream with what is allocated for it. Knows nothing of models,
 * plans or bundles; uses {@code ir} for exceptions alone.
 */
package dev.heddle.runtime.gpu;
