package dev.heddle.runtime;

import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.abi.StepHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Reads the expert ids that routers choose and can put others in their place: for comparing with a
 * reference, whose choice may differ rightly where two experts are equally good. The weights follow
 * the ids that are put in place.
 */
public final class RoutedExperts implements Observer {
  private final Choice choice;

  /** Sees a choice and may make another. */
  @FunctionalInterface
  public interface Choice {
    /**
     * Called for each token of each layer with routed experts.
     *
     * @param chosen ids, the best first
     * @return the ids to use: {@code chosen}, or as many others
     */
    int[] choose(int layer, int slot, int position, int[] chosen);
  }

  public RoutedExperts(Choice choice) {
    this.choice = choice;
  }

  @Override
  public void after(Launched launched) {
    if (launched.kind() instanceof KernelKind.RouterKernel) {
      throw new IllegalStateException(
          "a fused router gives the weights of its own choice; compile with --passes=-router to choose experts");
    }
    if (launched.kind() instanceof KernelKind.TopKKernel(int n, int k)
        && launched.launch().layer() >= 0) {
      MemorySegment ids = launched.buffer(0);
      StepHeader header = launched.header();
      for (int t = 0; t < header.tokens; t++) {
        int[] chosen = new int[k];
        MemorySegment.copy(ids, ValueLayout.JAVA_INT, 4L * t * k, chosen, 0, k);
        int[] used =
            choice.choose(
                launched.launch().layer(), header.slot[t], header.position[t], chosen.clone());
        if (used.length != k || Arrays.stream(used).anyMatch(id -> id < 0 || id >= n)) {
          throw new IllegalArgumentException(
              Arrays.toString(used) + " are not " + k + " of " + n + " experts");
        }
        if (!Arrays.equals(used, chosen)) {
          MemorySegment.copy(used, 0, ids, ValueLayout.JAVA_INT, 4L * t * k, k);
        }
      }
    }
  }
}
