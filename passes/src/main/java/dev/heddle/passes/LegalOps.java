package dev.heddle.passes;

import dev.heddle.ir.Graph;
import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Sets of ops that may stand in a graph after a stage. */
final class LegalOps {
  /** Ops that only passes create. */
  static final Set<Class<? extends Op>> MADE_BY_PASSES =
      Set.of(Op.Quantise.class, Op.Dequantise.class);

  /** Ops of canonical graphs: no composed ones, none that only passes create. */
  static final Set<Class<? extends Op>> PRIMITIVE =
      without(without(all(), Set.of(Op.Router.class)), MADE_BY_PASSES);

  /** Canonical graphs whose products may read q8_1 rows. */
  static final Set<Class<? extends Op>> WITH_QUANTISE =
      with(PRIMITIVE, List.of(Op.Quantise.class, Op.Dequantise.class));

  /** What stands after the rules: routers are whole again. */
  static final Set<Class<? extends Op>> FUSED = with(WITH_QUANTISE, List.of(Op.Router.class));

  private LegalOps() {}

  /**
   * Checks a graph.
   *
   * @throws HeddleBug naming the stage and the first node that may not stand there
   */
  static void check(Stage stage, Graph graph) {
    for (Node node : graph.nodes()) {
      if (!stage.legal().contains(node.op().getClass())) {
        throw new HeddleBug(
            "after "
                + stage.name()
                + " no "
                + node.op().text()
                + " may stand in a graph, but %"
                + node.id()
                + " does");
      }
    }
  }

  private static Set<Class<? extends Op>> all() {
    Set<Class<? extends Op>> ops = new LinkedHashSet<>();
    Arrays.stream(Op.class.getPermittedSubclasses()).forEach(c -> ops.add(c.asSubclass(Op.class)));
    return ops;
  }

  private static Set<Class<? extends Op>> without(
      Set<Class<? extends Op>> ops, Set<Class<? extends Op>> removed) {
    Set<Class<? extends Op>> rest = new HashSet<>(ops);
    rest.removeAll(removed);
    return Set.copyOf(rest);
  }

  private static Set<Class<? extends Op>> with(
      Set<Class<? extends Op>> ops, List<Class<? extends Op>> added) {
    Set<Class<? extends Op>> more = new HashSet<>(ops);
    more.addAll(added);
    return Set.copyOf(more);
  }
}
