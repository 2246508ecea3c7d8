package dev.heddle.cli;

import dev.heddle.gguf.GgufFile;
import dev.heddle.ir.bundle.Bundle;
import dev.heddle.runtime.WeightSource;
import dev.heddle.text.Tokenizer;
import dev.heddle.text.Vocabulary;
import java.util.Optional;

/**
 * A bundle and where its weights come from.
 *
 * @param bundle compiled now, or read
 * @param weights a file or a seed
 * @param compileNanos time that compiling took, 0 if the bundle was read
 */
record PreparedModel(Bundle bundle, WeightSource weights, long compileNanos)
    implements AutoCloseable {
  /** The weights' file. */
  Optional<GgufFile> gguf() {
    return weights instanceof WeightSource.File file ? Optional.of(file.gguf()) : Optional.empty();
  }

  /** The tokenizer of the weights' file. */
  Tokenizer tokenizer() {
    return Tokenizer.of(
        Vocabulary.of(
            gguf()
                .orElseThrow(() ->
                    new UsageException(
                        "seeded weights have no vocabulary: give token ids (heddle logits), or a GGUF"))));
  }

  @Override
  public void close() {
    gguf().ifPresent(GgufFile::close);
  }
}
