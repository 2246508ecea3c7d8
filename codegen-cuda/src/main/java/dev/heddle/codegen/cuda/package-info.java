/**
 * The CUDA target: dialect prelude, what NVIDIA chips can do ({@link
 * dev.heddle.codegen.cuda.CudaTarget}), and how sources become cubin or PTX ({@link
 * dev.heddle.codegen.cuda.CudaToolchain}). May use {@code ir} and {@code codegen}.
 */
package dev.heddle.codegen.cuda;
