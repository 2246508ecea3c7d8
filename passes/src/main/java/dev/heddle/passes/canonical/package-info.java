/**
 * The canonical form of a graph: one form for one meaning, same bits. Start at {@link
 * dev.heddle.passes.canonical.Canonicalise}; {@link dev.heddle.passes.canonical.Simplify} holds the
 * local rules, {@link dev.heddle.passes.canonical.Expand} the primitives of composed ops.
 */
package dev.heddle.passes.canonical;
