/**
 * The JVM target: kernels as Java source on the Vector API, compiled in-process. JavaPoet builds a
 * kernel's class, constants and signatures; its statements come from one Velocity file a kernel
 * kind (resources of this package). Start at {@link dev.heddle.codegen.jvm.JvmCodegen}; may use
 * {@code ir} only.
 */
package dev.heddle.codegen.jvm;
