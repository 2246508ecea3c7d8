package dev.heddle.passes;

import dev.heddle.ir.DType;
import dev.heddle.ir.Graph;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.RopeTable;
import dev.heddle.passes.rewrite.Site;
import java.util.List;
import java.util.Map;

/**
 * A graph with everything that a target needs to run it.
 *
 * @param before the graph as the spec gave it
 * @param after the graph that the plans compute
 * @param loaded tensors that the plans read, in order of first use, with the type that each has in
 *     memory
 * @param kernels kernel kinds, in the order of {@code Launch.kernel}
 * @param ropeTables tables, in the order of {@code Arg.Table}
 * @param plans plans by key
 * @param passes names of the stages that ran
 * @param arithmetic sentences: what computes another function than the spec's
 * @param sites every candidate of every rule that ran, fired or refused
 */
public record Lowered(
    Graph before,
    Graph after,
    Map<String, DType> loaded,
    List<KernelKind> kernels,
    List<RopeTable> ropeTables,
    Map<PlanKey, Plan> plans,
    List<String> passes,
    List<String> arithmetic,
    List<Site> sites) {}
