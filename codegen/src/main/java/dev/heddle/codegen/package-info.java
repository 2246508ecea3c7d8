/**
 * What the targets share: the launch ABI's text, tool discovery, the compile cache. May use {@code
 * ir} only.
 */
package dev.heddle.codegen;
