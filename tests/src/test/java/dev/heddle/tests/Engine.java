package dev.heddle.tests;

import dev.heddle.gguf.GgufFile;
import dev.heddle.ir.bundle.Bundle;
import dev.heddle.runtime.Batch;
import dev.heddle.runtime.Executor;
import dev.heddle.runtime.LogitRows;
import dev.heddle.runtime.Model;
import dev.heddle.runtime.Observer;
import dev.heddle.runtime.Options;
import dev.heddle.runtime.Progress;
import dev.heddle.runtime.WeightSource;
import java.nio.file.Path;

/** A compiled model with one executor: what the end-to-end tests ask questions. */
final class Engine implements AutoCloseable {
  private final GgufFile gguf;
  private final Model model;
  private final Executor executor;

  private Engine(GgufFile gguf, Model model) {
    this.gguf = gguf;
    this.model = model;
    this.executor = model.newExecutor();
  }

  /** The file on its exact path: f32 activations, f32 caches. */
  static Engine exact(Path file, int context, int slots) {
    return open(file, "-int8-activations", "f32", context, slots);
  }

  /** The file, compiled with these passes and this KV type. */
  static Engine open(Path file, String passes, String kv, int context, int slots) {
    GgufFile gguf = GgufFile.open(file);
    try {
      Bundle bundle = Chain.compile(gguf, passes, kv);
      return new Engine(
          gguf,
          Model.load(
              bundle, WeightSource.of(gguf), Options.of(context).withSlots(slots), Progress.NONE));
    } catch (RuntimeException | Error e) {
      gguf.close();
      throw e;
    }
  }

  GgufFile gguf() {
    return gguf;
  }

  Model model() {
    return model;
  }

  Executor executor() {
    return executor;
  }

  void observe(Observer observer) {
    executor.observe(observer);
  }

  /** Logits at every position of a prompt, computed in prompt steps. */
  float[][] whole(int[] ids) {
    int slot = executor.open();
    try {
      float[][] all = new float[ids.length][];
      int at = 0;
      while (at < ids.length) {
        int end = Math.min(ids.length, Executor.chunkEnd(at));
        Batch batch = Batch.prompt();
        for (int i = at; i < end; i++) {
          batch.add(slot, ids[i], true);
        }
        LogitRows rows = executor.step(batch);
        for (int r = 0; r < rows.rows(); r++) {
          all[at + r] = rows.row(r);
        }
        at = end;
      }
      return all;
    } finally {
      executor.release(slot);
    }
  }

  /** Logits at every position, one token at a time through the cache. */
  float[][] steps(int[] ids) {
    int slot = executor.open();
    try {
      float[][] all = new float[ids.length][];
      for (int i = 0; i < ids.length; i++) {
        all[i] = executor.step(Batch.step().add(slot, ids[i], true)).row(0);
      }
      return all;
    } finally {
      executor.release(slot);
    }
  }

  /**
   * Logits from which each of {@code n} greedy tokens was taken; the prompt in prompt steps, then
   * token by token.
   */
  float[][] greedy(int[] prompt, int n) {
    int slot = executor.open();
    try {
      float[][] rows = new float[n][];
      rows[0] = executor.prompt(slot, prompt, Progress.NONE).row(0);
      for (int i = 1; i < n; i++) {
        rows[i] = executor.step(Batch.step().add(slot, argmax(rows[i - 1]), true)).row(0);
      }
      return rows;
    } finally {
      executor.release(slot);
    }
  }

  /** The lowest index of the largest value. */
  static int argmax(float[] row) {
    int best = 0;
    for (int i = 1; i < row.length; i++) {
      if (row[i] > row[best]) {
        best = i;
      }
    }
    return best;
  }

  @Override
  public void close() {
    executor.close();
    model.close();
    gguf.close();
  }
}
