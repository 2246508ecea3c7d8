package dev.heddle.cli;

import java.nio.file.Path;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which model: a file, or a spec with one of its configs. */
final class ModelOptions {
  @Parameters(
      index = "0",
      paramLabel = "MODEL",
      description = "a GGUF, a bundle, a built-in spec's name or a .model file")
  String model;

  @Option(
      names = "--config",
      paramLabel = "NAME",
      description = "config of a spec: a real model's sizes (heddle specs lists them)")
  String config;

  @Option(names = "--gguf", paramLabel = "FILE", description = "weights for a bundle or a spec")
  Path gguf;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      description = "weight types of a config: q8_0, q4_0, q4_k_m, q6_k, f16, f32 (default: q8_0)")
  String type;

  @Option(names = "--layers", paramLabel = "N", description = "only the first N layers of a config")
  Long layers;

  @Option(
      names = "--weights",
      paramLabel = "random:SEED",
      description = "seeded weights of the true shapes instead of a file")
  String weights;

  /** The seed of --weights, or null. */
  Long seed() {
    if (weights == null) {
      return null;
    }
    if (!weights.matches("random:-?\\d{1,18}")) {
      throw new UsageException(
          "--weights takes random:SEED with a whole number as seed, not '" + weights + "'");
    }
    return Long.valueOf(weights.substring("random:".length()));
  }
}
