package dev.heddle.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.HeddleBug;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TeamTest {
  @Test
  void everyPartRunsEveryStageOnceAndStagesDoNotOverlap() {
    try (var team = new Team(2)) {
      int stages = 2000;
      int parts = team.threads();
      var done = new AtomicInteger();
      team.run(
          stages,
          (stage, part, all) -> {
            // All parts of earlier stages are done, at most the other parts of this one.
            int before = done.getAndIncrement();
            if (before < stage * parts || before >= (stage + 1) * parts) {
              throw new IllegalStateException("stage " + stage + " saw " + before);
            }
          });
      assertEquals(stages * parts, done.get());
    }
  }

  @Test
  void parkedThreadsWakeForTheNextRun() throws InterruptedException {
    try (var team = new Team(2)) {
      for (int i = 0; i < 5; i++) {
        Thread.sleep(20);
        var done = new AtomicInteger();
        team.run(3, (stage, part, parts) -> done.incrementAndGet());
        assertEquals(3 * team.threads(), done.get());
      }
    }
  }

  @Test
  void slowPartIsWaitedFor() {
    try (var team = new Team(2)) {
      int[] order = new int[2];
      var next = new AtomicInteger();
      team.run(
          2,
          (stage, part, parts) -> {
            if (stage == 0 && part == parts - 1) {
              sleep();
              order[next.getAndIncrement()] = 1;
            } else if (stage == 1 && part == 0) {
              order[next.getAndIncrement()] = 2;
            }
          });
      assertArrayEquals(new int[] {1, 2}, order);
    }
  }

  @Test
  void whatAPartThrowsReachesTheCallerAndEndsTheRun() {
    try (var team = new Team(2)) {
      var thrown = new IllegalStateException("out of luck");
      var later = new AtomicInteger();
      var e =
          assertThrows(
              Team.Failure.class,
              () ->
                  team.run(
                      5,
                      (stage, part, parts) -> {
                        if (stage == 3 && part == parts - 1) {
                          throw thrown;
                        }
                        if (stage == 4) {
                          later.incrementAndGet();
                        }
                      }));
      assertSame(thrown, e.getCause());
      assertEquals(3, e.stage());
      assertEquals(0, later.get());
      team.run(1, (stage, part, parts) -> later.incrementAndGet());
      assertEquals(team.threads(), later.get());
    }
  }

  @Test
  void neverMoreThreadsThanCpus() {
    try (var team = new Team(100_000)) {
      assertEquals(Runtime.getRuntime().availableProcessors(), team.threads());
      assertEquals(team.threads() - 1, team.threadIds().length);
    }
  }

  @Test
  void threadsAreDaemonsAndEndWithTheTeam() throws InterruptedException {
    var team = new Team(2);
    long[] ids = team.threadIds();
    for (Thread t : Thread.getAllStackTraces().keySet()) {
      for (long id : ids) {
        if (t.threadId() == id) {
          assertTrue(t.isDaemon());
        }
      }
    }
    team.close();
    team.close();
    assertThrows(HeddleBug.class, () -> team.run(1, (stage, part, parts) -> {}));
  }

  private static void sleep() {
    try {
      Thread.sleep(30);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
