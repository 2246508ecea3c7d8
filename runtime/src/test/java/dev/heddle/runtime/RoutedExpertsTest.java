package dev.heddle.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.PlanKey.Rows;
import dev.heddle.ir.plan.abi.StepHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoutedExpertsTest {
  private final int[] ids = {5, 1, 0, 7};

  /** A finished launch of layer {@code layer} over two tokens with two experts of eight each. */
  private record Router(int layer, KernelKind kind, StepHeader header, MemorySegment memory)
      implements Observer.Launched {
    @Override
    public Plan plan() {
      var launch = new Plan.Launch(0, List.of(new Plan.Arg.Buf(0, 0)), List.of(), layer);
      return new Plan(new PlanKey(Rows.STEP, 2, 2), 16, List.of(), List.of(launch), List.of());
    }

    @Override
    public int index() {
      return 0;
    }

    @Override
    public MemorySegment buffer(int i) {
      return memory;
    }
  }

  private int[] after(int layer, RoutedExperts.Choice choice) {
    var header = new StepHeader(2, 4, 64);
    header.tokens = 2;
    header.position[0] = 30;
    header.slot[1] = 3;
    MemorySegment memory = MemorySegment.ofArray(ids.clone());
    new RoutedExperts(choice)
        .after(new Router(layer, new KernelKind.TopKKernel(8, 2), header, memory));
    return memory.toArray(ValueLayout.JAVA_INT);
  }

  @Test
  void choicesAreSeenWithLayerSlotAndPosition() {
    List<String> seen = new ArrayList<>();
    int[] left =
        after(
            6,
            (layer, slot, position, chosen) -> {
              seen.add(layer + " " + slot + " " + position + " " + chosen[0] + " " + chosen[1]);
              return chosen;
            });
    assertEquals(List.of("6 0 30 5 1", "6 3 0 0 7"), seen);
    assertArrayEquals(ids, left);
  }

  @Test
  void otherIdsTakeTheirPlace() {
    int[] left = after(6, (layer, slot, position, chosen) -> slot == 3 ? new int[] {2, 3} : chosen);
    assertArrayEquals(new int[] {5, 1, 2, 3}, left);
  }

  @Test
  void unknownExpertsAreRefused() {
    assertThrows(
        IllegalArgumentException.class,
        () -> after(6, (layer, slot, position, chosen) -> new int[] {8, 0}));
    assertThrows(
        IllegalArgumentException.class,
        () -> after(6, (layer, slot, position, chosen) -> new int[] {0}));
  }

  @Test
  void topKOutsideLayersIsNoRouter() {
    assertArrayEquals(ids, after(-1, (layer, slot, position, chosen) -> new int[] {0, 0}));
  }
}
