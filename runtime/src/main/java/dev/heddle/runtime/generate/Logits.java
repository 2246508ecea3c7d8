package dev.heddle.runtime.generate;

import dev.heddle.runtime.Batch;
import dev.heddle.runtime.Executor;
import dev.heddle.runtime.LogitRows;

/** Logits after every token of a list. */
public final class Logits {
  private Logits() {}

  /** Takes rows as they come; {@code rows} is valid during the call only. */
  @FunctionalInterface
  public interface Sink {
    /**
     * Row {@code row} of {@code rows} holds the logits after token {@code position} of the list.
     */
    void accept(int position, LogitRows rows, int row);
  }

  /** As a prompt, chunk by chunk, appended to the sequence {@code slot}. */
  public static void whole(Executor executor, int slot, int[] tokens, Sink sink) {
    Batch batch = Batch.prompt();
    int at = 0;
    while (at < tokens.length) {
      int length = executor.length(slot);
      int end = Math.min(tokens.length, at + Executor.chunkEnd(length) - length);
      batch.clear();
      for (int i = at; i < end; i++) {
        batch.add(slot, tokens[i], true);
      }
      LogitRows rows = executor.step(batch);
      for (int i = at; i < end; i++) {
        sink.accept(i, rows, i - at);
      }
      at = end;
    }
  }

  /** One token a step, through the cache, appended to the sequence {@code slot}. */
  public static void stepwise(Executor executor, int slot, int[] tokens, Sink sink) {
    Batch batch = Batch.step();
    for (int i = 0; i < tokens.length; i++) {
      sink.accept(i, executor.step(batch.clear().add(slot, tokens[i], true)), 0);
    }
  }
}
