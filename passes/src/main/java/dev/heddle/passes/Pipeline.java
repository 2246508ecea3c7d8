package dev.heddle.passes;

import static dev.heddle.passes.Numerics.ARITHMETIC;
import static dev.heddle.passes.Numerics.EXACT;
import static dev.heddle.passes.Stage.Runs.ALWAYS;
import static dev.heddle.passes.Stage.Runs.AS_TARGET_SAYS;
import static dev.heddle.passes.Stage.Runs.ON_REQUEST;
import static dev.heddle.passes.Stage.rewrite;
import static dev.heddle.passes.Stage.rule;

import dev.heddle.ir.DType;
import dev.heddle.ir.Graph;
import dev.heddle.ir.GraphException;
import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import dev.heddle.passes.canonical.Canonicalise;
import dev.heddle.passes.rewrite.FuseRouter;
import dev.heddle.passes.rewrite.GateIntoCombine;
import dev.heddle.passes.weights.Int8Activations;
import dev.heddle.passes.weights.Layout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** From a spec's graph to plans: the table of stages, and the loop that runs them. */
public final class Pipeline {
  /** All stages, in their order. */
  public static final List<Stage> STAGES =
      List.of(
          rewrite(
              "canonicalise",
              EXACT,
              ALWAYS,
              "one form for one meaning, so that the way a spec is written never decides a fusion",
              LegalOps.PRIMITIVE,
              new Canonicalise()),
          rewrite(
              "int8-activations",
              ARITHMETIC,
              AS_TARGET_SAYS,
              "products of int8 pairs need a quarter of the multiplies of f32",
              LegalOps.WITH_QUANTISE,
              new Int8Activations()),
          rule(ON_REQUEST, LegalOps.FUSED, new FuseRouter()),
          rule(ON_REQUEST, LegalOps.FUSED, new GateIntoCombine()),
          rewrite(
              "layout",
              EXACT,
              ALWAYS,
              "weights in types that kernels read; the others are dequantised once, when loaded",
              LegalOps.FUSED,
              new Layout()),
          new Stage(
              "schedule",
              EXACT,
              ALWAYS,
              "a kernel for every node and an order that respects every edge",
              LegalOps.FUSED,
              (work, context) -> work.scheduled()),
          new Stage(
              "memory-plan",
              EXACT,
              ALWAYS,
              "peak memory is known before anything is allocated, and no step allocates",
              LegalOps.FUSED,
              (work, context) -> work.planned(context.keys())));

  private Pipeline() {}

  /**
   * Runs the selected stages.
   *
   * @param graph the graph of a spec
   * @param context target, captures asked for, plans wanted
   * @param selection stages to run
   * @param observer sees the work after every stage
   * @throws GraphException if the graph has something that the target cannot compute
   * @throws HeddleBug if a stage fails; names stage and node, and the file to which the graph was
   *     written
   */
  public static Lowered run(
      Graph graph, PassContext context, PassSelection selection, Observer observer) {
    Work work = Work.of(graph);
    List<String> ran = new ArrayList<>();
    List<String> arithmetic = new ArrayList<>();
    observer.start(graph);
    for (Stage stage : STAGES) {
      if (!selection.includes(stage, context.target())) {
        continue;
      }
      try {
        work = stage.step().apply(work, context);
      } catch (NodeFault fault) {
        throw new HeddleBug(
            "pass "
                + stage.name()
                + " failed at "
                + fault.getMessage()
                + observer.saved(work.graph()),
            fault);
      } catch (GraphException unsupported) {
        throw unsupported;
      } catch (RuntimeException fault) {
        throw new HeddleBug(
            "pass " + stage.name() + " failed: " + fault + observer.saved(work.graph()), fault);
      }
      ran.add(stage.name());
      if (stage.numerics() == ARITHMETIC) {
        arithmetic.add(
            stage.name()
                + " changes results: "
                + stage.reason()
                + " (--passes=-"
                + stage.name()
                + " for the exact path)");
      }
      observer.after(stage, ran.size(), work);
    }
    return new Lowered(
        graph,
        work.graph(),
        loaded(work.graph()),
        work.schedules().kernels(),
        work.schedules().ropeTables(),
        work.plans(),
        ran,
        arithmetic,
        work.sites());
  }

  private static Map<String, DType> loaded(Graph graph) {
    Map<String, DType> loaded = new LinkedHashMap<>();
    for (Node node : graph.nodes()) {
      if (node.op() instanceof Op.Weight w) {
        loaded.put(w.tensor(), node.type().dtype());
      }
    }
    return loaded;
  }
}
