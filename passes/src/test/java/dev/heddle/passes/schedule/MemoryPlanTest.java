package dev.heddle.passes.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.DType;
import dev.heddle.ir.Dim;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.PlanKey.Rows;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MemoryPlanTest {
  private static final TensorType ROW = TensorType.f32(Dim.T, Dim.of(16));
  private static final PlanKey ONE = new PlanKey(Rows.STEP, 1, 1);

  @Test
  void aChainNeedsTwoPlaces() {
    Plan plan =
        MemoryPlan.of(
            schedule(
                List.of(ROW, ROW, ROW, ROW),
                List.of(List.of(0), List.of(1, 0), List.of(2, 1), List.of(3, 2))),
            ONE);

    assertEquals(
        List.of(0L, 64L, 0L, 64L), plan.buffers().stream().map(Plan.Buffer::offset).toList());
    assertEquals(128, plan.arenaBytes());
    assertEquals(List.of(0, 1, 2, 3), plan.buffers().stream().map(Plan.Buffer::firstStep).toList());
    assertEquals(List.of(1, 2, 3, 4), plan.buffers().stream().map(Plan.Buffer::lastStep).toList());
  }

  @Test
  void offsetsAreWholeCacheLinesAndSizesAreExact() {
    TensorType small = TensorType.f32(Dim.T, Dim.of(3));
    Plan plan =
        MemoryPlan.of(
            schedule(List.of(small, small), List.of(List.of(0), List.of(1, 0))),
            new PlanKey(Rows.STEP, 4, 4));

    assertEquals(List.of(48L, 48L), plan.buffers().stream().map(Plan.Buffer::bytes).toList());
    assertEquals(List.of(0L, 64L), plan.buffers().stream().map(Plan.Buffer::offset).toList());
  }

  @Test
  void outputRowsCountR() {
    PlanKey key = new PlanKey(Rows.PROMPT, 512, 1);

    assertEquals(512 * 64, MemoryPlan.bytes(ROW, key));
    assertEquals(64, MemoryPlan.bytes(TensorType.f32(Dim.R, Dim.of(16)), key));
    assertEquals(
        512 * 80, MemoryPlan.bytes(TensorType.rows(DType.Q8_1, Dim.T, Dim.of(2), Dim.of(32)), key));
  }

  @Test
  void takesTheSmallestRangeThatHoldsAValue() {
    Arena arena = new Arena();
    long large = arena.take(640);
    arena.take(64);
    long small = arena.take(128);
    arena.take(64);
    arena.give(large, 640);
    arena.give(small, 128);

    assertEquals(small, arena.take(100));
    assertEquals(large, arena.take(300));
    assertEquals(large + 320, arena.take(320));
    assertEquals(896, arena.size());
  }

  @Test
  void joinsNeighboursThatAreGivenBack() {
    Arena arena = new Arena();
    List<Long> offsets = List.of(arena.take(64), arena.take(64), arena.take(64));
    for (int i : new int[] {0, 2, 1}) {
      arena.give(offsets.get(i), 64);
    }

    assertEquals(0, arena.take(192));
    assertEquals(192, arena.size());
  }

  @Test
  void noTwoLiveValuesOverlapInRandomSchedules() {
    for (long seed = 0; seed < 200; seed++) {
      Plan plan = MemoryPlan.of(random(new SplittableRandom(seed)), new PlanKey(Rows.STEP, 2, 2));
      for (Plan.Buffer a : plan.buffers()) {
        assertTrue(
            a.offset() % 64 == 0 && a.offset() + a.bytes() <= plan.arenaBytes(), "seed " + seed);
        for (Plan.Buffer b : plan.buffers()) {
          boolean bothLive =
              a.id() < b.id() && a.firstStep() <= b.lastStep() && b.firstStep() <= a.lastStep();
          boolean overlap =
              a.offset() < b.offset() + b.bytes() && b.offset() < a.offset() + a.bytes();
          assertTrue(!(bothLive && overlap), "seed " + seed + ": " + a + " and " + b);
        }
      }
    }
  }

  private static Schedule random(SplittableRandom random) {
    int steps = random.nextInt(1, 40);
    List<TensorType> types = new ArrayList<>();
    List<List<Integer>> launches = new ArrayList<>();
    for (int i = 0; i < steps; i++) {
      types.add(TensorType.f32(Dim.T, Dim.of(random.nextInt(1, 100))));
      List<Integer> args = new ArrayList<>(List.of(i));
      for (int j = 0; i > 0 && j < random.nextInt(3); j++) {
        args.add(random.nextInt(Math.max(0, i - 8), i));
      }
      launches.add(args);
    }
    return schedule(types, launches);
  }

  /** Launch i writes value i, the first of its arguments; the last value leaves the step. */
  private static Schedule schedule(List<TensorType> types, List<List<Integer>> launches) {
    List<Schedule.Held> values = new ArrayList<>();
    List<Plan.Launch> steps = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      values.add(new Schedule.Held(i, 0, types.get(i)));
      List<Plan.Arg> args = new ArrayList<>();
      for (int id : launches.get(i)) {
        args.add(new Plan.Arg.Buf(id, 0));
      }
      steps.add(new Plan.Launch(0, args, List.of(i), -1));
    }
    return new Schedule(values, steps, List.of(new Plan.Output("out", types.size() - 1)));
  }
}
