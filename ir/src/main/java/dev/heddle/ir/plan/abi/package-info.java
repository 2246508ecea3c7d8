/**
 * What generated JVM kernels and the runtime agree on. Start at {@link
 * dev.heddle.ir.plan.abi.JvmKernel}.
 */
package dev.heddle.ir.plan.abi;
