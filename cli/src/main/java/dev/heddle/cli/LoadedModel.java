package dev.heddle.cli;

import dev.heddle.ir.bundle.Bundle;
import dev.heddle.ir.bundle.Manifest;
import dev.heddle.runtime.Model;
import dev.heddle.runtime.Options;
import dev.heddle.text.Tokenizer;

/**
 * A model ready to compute, with the file that its weights and its vocabulary are in.
 *
 * @param prepared the bundle and its weights
 * @param model loaded
 */
record LoadedModel(PreparedModel prepared, Model model) implements AutoCloseable {
  /** Loads a prepared model for sequences of up to {@code context} positions. */
  static LoadedModel load(
      PreparedModel prepared, TargetOptions target, int context, int slots, Terminal terminal) {
    Options options = Options.of(context).withSlots(slots);
    if (target.threads != null) {
      if (target.threads < 1) {
        throw new UsageException("--threads takes a number from 1 up, not " + target.threads);
      }
      options = options.withThreads(target.threads);
    }
    try (Progress progress = new Progress(terminal, "loading", true)) {
      return new LoadedModel(
          prepared, Model.load(prepared.bundle(), prepared.weights(), options, progress::update));
    }
  }

  Bundle bundle() {
    return prepared.bundle();
  }

  Manifest manifest() {
    return prepared.bundle().manifest();
  }

  /** The tokenizer of the weights' file. */
  Tokenizer tokenizer() {
    return prepared.tokenizer();
  }

  @Override
  public void close() {
    model.close();
    prepared.close();
  }
}
