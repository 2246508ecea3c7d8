/**
 * The dataflow graph: types, ops, nodes, text form, verifier and the reference interpreter, which
 * is the semantics of every op. Uses nothing of heddle. Start at {@link dev.heddle.ir.Graph} and
 * {@link dev.heddle.ir.Op}.
 */
package dev.heddle.ir;
