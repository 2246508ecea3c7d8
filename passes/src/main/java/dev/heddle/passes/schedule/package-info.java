/**
 * From a graph to plans: {@link dev.heddle.passes.schedule.Lowering} picks a kernel for every node
 * that needs one, {@link dev.heddle.passes.schedule.Order} puts them in an order, {@link
 * dev.heddle.passes.schedule.MemoryPlan} gives every value its place. Start at {@link
 * dev.heddle.passes.schedule.Schedule}.
 */
package dev.heddle.passes.schedule;
