package dev.heddle.tests;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.heddle.runtime.Batch;
import dev.heddle.runtime.Executor;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Decoding allocates nothing: not on the calling thread, not on the team's. Until the JVM has
 * compiled the kernels, their vectors are objects; so rounds are run until one allocates nothing.
 */
class AllocationTest {
  private static final int ROUND = 40;
  private static final int MOST_ROUNDS = 150;

  @Test
  void aDecodedTokenAllocatesNothing() {
    try (Engine engine = Engine.open(Reference.read("tiny-qwen3moe").gguf(), "", "f16", 64, 1)) {
      List<Long> bytes = new ArrayList<>();
      while (bytes.size() < MOST_ROUNDS && (bytes.isEmpty() || bytes.getLast() > 0)) {
        bytes.add(round(engine));
      }
      assertTrue(
          bytes.getLast() == 0, "bytes allocated in rounds of " + ROUND + " tokens: " + bytes);
    }
  }

  /** Bytes that decoding {@link #ROUND} tokens allocates, on all threads that take part. */
  private static long round(Engine engine) {
    ThreadMXBean counters = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long[] team = engine.model().team().threadIds();
    long here = Thread.currentThread().threadId();
    Executor executor = engine.executor();
    int slot = executor.open();
    Batch batch = Batch.step();
    executor.step(batch.clear().add(slot, 300, true));
    long before = counters.getThreadAllocatedBytes(here);
    for (long id : team) {
      before += counters.getThreadAllocatedBytes(id);
    }
    for (int i = 0; i < ROUND; i++) {
      executor.step(batch.clear().add(slot, 300 + i, true));
    }
    long after = counters.getThreadAllocatedBytes(here);
    for (long id : team) {
      after += counters.getThreadAllocatedBytes(id);
    }
    executor.release(slot);
    return after - before;
  }
}
