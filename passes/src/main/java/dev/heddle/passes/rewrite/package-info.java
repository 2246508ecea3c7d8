/**
 * The rewrite engine and its rules. A {@link dev.heddle.passes.rewrite.Rule} is one class: what it
 * looks at, guards with sentences, and what it makes; {@link dev.heddle.passes.rewrite.Rewriter}
 * applies one rule to every site and records each as FIRED or REFUSED.
 */
package dev.heddle.passes.rewrite;
