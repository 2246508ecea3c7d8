/**
 * What a target says of itself, as data: the passes read it and never ask for a target's name.
 * Start at {@link dev.heddle.ir.target.Target}.
 */
package dev.heddle.ir.target;
