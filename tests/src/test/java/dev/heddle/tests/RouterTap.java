package dev.heddle.tests;

import dev.heddle.ir.plan.KernelKind.TopKKernel;
import dev.heddle.runtime.Observer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;

/**
 * Listens to the routers of a run: notes the chosen experts of every layer and position, or puts
 * given ones in their place.
 */
final class RouterTap implements Observer {
  private record Place(int layer, int position) {}

  private final Map<Place, int[]> chosen = new HashMap<>();
  private final Map<Place, int[]> forced = new HashMap<>();

  /** The experts that the router chose, best first. */
  int[] chosen(int layer, int position) {
    int[] ids = chosen.get(new Place(layer, position));
    if (ids == null) {
      throw new IllegalStateException("no router ran for layer " + layer + " position " + position);
    }
    return ids;
  }

  /** From now on these experts are used, whatever the router chooses. */
  void force(int layer, int position, int[] ids) {
    forced.put(new Place(layer, position), ids);
  }

  @Override
  public void after(Launched launched) {
    if (!(launched.kind() instanceof TopKKernel router)) {
      return;
    }
    MemorySegment ids = launched.buffer(0);
    for (int t = 0; t < launched.header().tokens; t++) {
      Place place = new Place(launched.launch().layer(), launched.header().position[t]);
      int[] row = new int[router.k()];
      int[] instead = forced.get(place);
      for (int j = 0; j < row.length; j++) {
        long at = (long) t * router.k() + j;
        row[j] = ids.getAtIndex(ValueLayout.JAVA_INT, at);
        if (instead != null) {
          ids.setAtIndex(ValueLayout.JAVA_INT, at, instead[j]);
        }
      }
      chosen.put(place, row);
    }
  }
}
