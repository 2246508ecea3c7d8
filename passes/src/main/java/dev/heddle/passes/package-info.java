/**
 * The passes between a spec's graph and its plans. Start at {@link dev.heddle.passes.Pipeline},
 * whose table is the table of contents; {@link dev.heddle.passes.PassSelection} reads {@code
 * --passes}. A graph pass is a pure function of a graph and a {@link
 * dev.heddle.passes.PassContext}. Uses {@code ir} alone.
 */
package dev.heddle.passes;
