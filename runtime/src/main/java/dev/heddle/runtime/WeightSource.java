package dev.heddle.runtime;

import dev.heddle.gguf.GgufFile;

/** Where a model's weights come from. */
public sealed interface WeightSource {
  /** How messages name it. */
  String name();

  /** A mapped GGUF file; it must stay open as long as the model is used. */
  record File(GgufFile gguf) implements WeightSource {
    @Override
    public String name() {
      return gguf.path().toString();
    }
  }

  /**
   * Seeded values of unit scale in the types that the bundle wants: a model of true size without
   * its weights.
   */
  record Random(long seed) implements WeightSource {
    @Override
    public String name() {
      return "random:" + seed;
    }
  }

  /** Weights of a mapped file. */
  static WeightSource of(GgufFile gguf) {
    return new File(gguf);
  }

  /** Seeded weights. */
  static WeightSource random(long seed) {
    return new Random(seed);
  }
}
