package dev.heddle.runtime;

import dev.heddle.ir.HeddleBug;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that run staged work together: all of them run stage 0, meet, run stage 1, and so on. The
 * caller is part 0; the others are daemons that wait between runs. Waiting spins first and then
 * parks: 20 000 turns are 0.7 to 3 us a meeting where parking at once costs 2 to 33 us, and endless
 * spinning starves a busy machine. Allocates nothing in {@link #run}. One caller at a time.
 */
public final class Team implements AutoCloseable {
  private static final int SPINS = 20_000;
  private static final VarHandle INTS = MethodHandles.arrayElementVarHandle(int[].class);

  /** Ints of one cache line pair: neighbours are fetched together. */
  private static final int LINE = 32;

  private static final int EPOCH = LINE;
  private static final int ARRIVED = 2 * LINE;
  private static final int PARKED = 3 * LINE;

  private final int parts;
  private final Thread[] threads;
  private final int[] cells;
  private volatile Throwable failure;
  private volatile int failedStage;
  private Work work;
  private int stages;
  private boolean isClosed;

  /** A part of staged work. */
  @FunctionalInterface
  public interface Work {
    /** Does the share of {@code part} (0 .. parts-1) of a stage. */
    void run(int stage, int part, int parts);
  }

  /** A part of the work threw: the cause is what it threw. Later stages were not run. */
  public static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final int stage;

    Failure(int stage, Throwable cause) {
      super("stage " + stage + " failed: " + cause, cause);
      this.stage = stage;
    }

    /** The stage that failed first. */
    public int stage() {
      return stage;
    }
  }

  /** Starts {@code threads - 1} daemons; never more threads than CPUs. */
  public Team(int threads) {
    parts = Math.clamp(threads, 1, Runtime.getRuntime().availableProcessors());
    cells = new int[PARKED + parts * LINE];
    this.threads = new Thread[parts];
    for (int part = 1; part < parts; part++) {
      int mine = part;
      this.threads[part] =
          Thread.ofPlatform().name("heddle-" + part).daemon().unstarted(() -> serve(mine));
    }
    for (int part = 1; part < parts; part++) {
      this.threads[part].start();
    }
  }

  /** Number of threads, the caller included. */
  public int threads() {
    return parts;
  }

  /** Ids of the team's own threads (not the caller's). */
  public long[] threadIds() {
    long[] ids = new long[parts - 1];
    for (int part = 1; part < parts; part++) {
      ids[part - 1] = threads[part].threadId();
    }
    return ids;
  }

  /**
   * Runs stages 0 .. stages-1; returns when all parts have finished the last, or throws {@link
   * Failure}.
   */
  public void run(int stages, Work work) {
    if (isClosed) {
      throw new HeddleBug("the thread team is closed");
    }
    threads[0] = Thread.currentThread();
    failure = null;
    this.work = work;
    this.stages = stages;
    meet(0);
    runStages(0);
    this.work = null;
    Throwable thrown = failure;
    if (thrown != null) {
      throw new Failure(failedStage, thrown);
    }
  }

  /** Ends the daemons. */
  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      threads[0] = Thread.currentThread();
      meet(0);
    }
  }

  private void serve(int part) {
    while (true) {
      meet(part);
      if (isClosed) {
        return;
      }
      runStages(part);
    }
  }

  private void runStages(int part) {
    Work mine = work;
    int count = stages;
    for (int stage = 0; stage < count; stage++) {
      if (failure == null) {
        runStage(mine, stage, part);
      }
      meet(part);
    }
  }

  /** What a part throws must reach the caller: the others wait at the next meeting. */
  private void runStage(Work mine, int stage, int part) {
    try {
      mine.run(stage, part, parts);
    } catch (Throwable e) {
      synchronized (this) {
        if (failure == null) {
          failedStage = stage;
          failure = e;
        }
      }
    }
  }

  /** Returns when all parts have come here. */
  private void meet(int part) {
    int seen = (int) INTS.getVolatile(cells, EPOCH);
    if ((int) INTS.getAndAdd(cells, ARRIVED, 1) == parts - 1) {
      INTS.setVolatile(cells, ARRIVED, 0);
      INTS.setVolatile(cells, EPOCH, seen + 1);
      wakeParked();
      return;
    }
    for (int i = 0; i < SPINS; i++) {
      if ((int) INTS.getVolatile(cells, EPOCH) != seen) {
        return;
      }
      Thread.onSpinWait();
    }
    int flag = PARKED + part * LINE;
    while ((int) INTS.getVolatile(cells, EPOCH) == seen) {
      INTS.setVolatile(cells, flag, 1);
      // The releaser sets the epoch, then reads the flag; this thread sets the flag, then reads the
      // epoch: one of them sees the other.
      if ((int) INTS.getVolatile(cells, EPOCH) == seen) {
        LockSupport.park(this);
      }
      INTS.setVolatile(cells, flag, 0);
    }
  }

  private void wakeParked() {
    for (int part = 0; part < parts; part++) {
      if ((int) INTS.getVolatile(cells, PARKED + part * LINE) != 0) {
        LockSupport.unpark(threads[part]);
      }
    }
  }
}
