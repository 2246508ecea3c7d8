package dev.heddle.gguf;

import dev.heddle.ir.HeddleBug;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Computes chunks of a file on all cores and appends them in order: at most two chunks a core are
 * in memory, whatever the file's size.
 */
final class ParallelAppend implements AutoCloseable {
  private record Pending(Future<MemorySegment> chunk, String item) {}

  private final GgufWriter out;
  private final Progress progress;
  private final long total;
  private final ExecutorService pool;
  private final Deque<Pending> pending = new ArrayDeque<>();
  private final int most;
  private long done;

  ParallelAppend(GgufWriter out, Progress progress, long total) {
    this.out = out;
    this.progress = progress;
    this.total = total;
    int cores = Runtime.getRuntime().availableProcessors();
    this.pool = Executors.newFixedThreadPool(cores);
    this.most = 2 * cores;
  }

  /** Appends what {@code chunk} computes, after all that was submitted before. */
  void submit(String item, Callable<MemorySegment> chunk) {
    if (pending.size() == most) {
      appendFirst();
    }
    pending.add(new Pending(pool.submit(chunk), item));
  }

  /** Waits for all chunks. */
  void finish() {
    while (!pending.isEmpty()) {
      appendFirst();
    }
  }

  private void appendFirst() {
    Pending first = pending.remove();
    MemorySegment bytes = result(first.chunk);
    out.append(bytes);
    done += bytes.byteSize();
    progress.at(done, total, first.item);
  }

  private static MemorySegment result(Future<MemorySegment> chunk) {
    try {
      return chunk.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GgufException("writing was interrupted; nothing was written", e);
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        default -> throw new HeddleBug("a chunk failed: " + e.getCause());
      }
    }
  }

  /**
   * Stops what still runs and waits for it: chunks read mapped memory that the caller is about to
   * unmap.
   */
  @Override
  public void close() {
    pool.shutdownNow();
    pool.close();
  }
}
