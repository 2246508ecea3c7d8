package dev.heddle.cli;

import dev.heddle.runtime.generate.Sampler;
import dev.heddle.text.Tokenizer;
import picocli.CommandLine.Option;

/** How tokens are chosen. */
final class SamplingOptions {
  @Option(
      names = "--temperature",
      paramLabel = "X",
      defaultValue = "0",
      description = "0 takes the best token always (default: ${DEFAULT-VALUE})")
  double temperature;

  @Option(
      names = "--top-k",
      paramLabel = "N",
      defaultValue = "0",
      description = "draw from the N best tokens; 0 = all (default: ${DEFAULT-VALUE})")
  int topK;

  @Option(
      names = "--top-p",
      paramLabel = "X",
      defaultValue = "1",
      description =
          "draw from the best tokens that have this probability together (default: ${DEFAULT-VALUE})")
  double topP = 1;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "0",
      description = "seed of the draws (default: ${DEFAULT-VALUE})")
  long seed;

  Sampler sampler(Tokenizer tokenizer, int rows) {
    if (!(temperature >= 0)) {
      throw new UsageException("--temperature is at least 0, not " + temperature);
    }
    if (topK < 0) {
      throw new UsageException("--top-k is at least 0, not " + topK);
    }
    if (!(topP > 0 && topP <= 1)) {
      throw new UsageException("--top-p is over 0 and at most 1, not " + topP);
    }
    int[] never = tokenizer.neverSample(rows).stream().toArray();
    return new Sampler(new Sampler.Settings(temperature, topK, topP, 0, seed, never));
  }
}
