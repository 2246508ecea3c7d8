/**
 * Plans: kernel kinds (the contract between passes and targets), launches, buffers with lifetimes,
 * and the plan interpreter that proves their order. Start at {@link dev.heddle.ir.plan.Plan} and
 * {@link dev.heddle.ir.plan.KernelKind}.
 */
package dev.heddle.ir.plan;
