/**
 * Compilers outside the JVM: how one is found ({@link dev.heddle.codegen.tool.Tool}), what it makes
 * of a generated source ({@link dev.heddle.codegen.tool.Toolchain}), and the host's, which needs no
 * GPU. May use {@code ir} and {@code codegen.gpu}.
 */
package dev.heddle.codegen.tool;
