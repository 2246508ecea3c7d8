package dev.heddle.passes;

import dev.heddle.ir.Graph;
import dev.heddle.ir.bundle.Manifest;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.RopeTable;
import java.util.List;
import java.util.Map;

/**
 * A graph with everything that a target needs to run it.
 *
 * @param before the graph as the spec gave it
 * @param after the graph that the plans compute
 * @param weights tensors that the plans read, with stored and loaded types, in order of first use
 * @param states states that the plans read and write
 * @param kernels kernel kinds, in the order of {@code Launch.kernel}
 * @param ropeTables tables, in the order of {@code Arg.Table}
 * @param plans plans by key
 * @param passes names of the stages that ran
 * @param arithmetic sentences: what computes another function than the spec's
 */
public record Lowered(
    Graph before,
    Graph after,
    List<Manifest.Weight> weights,
    List<Manifest.State> states,
    List<KernelKind> kernels,
    List<RopeTable> ropeTables,
    Map<PlanKey, Plan> plans,
    List<String> passes,
    List<String> arithmetic) {}
