package dev.heddle.gguf;

import java.lang.foreign.MemorySegment;

/**
 * Target of the coverage-guided fuzzer (docs/results/gguf-fuzz.md has the command); not part of the build. Any bytes must open or
 * give a {@link GgufException}.
 */
public final class GgufFuzz {
  private GgufFuzz() {}

  /** Called by the fuzzer with each input. */
  public static void fuzzerTestOneInput(byte[] input) {
    try {
      GgufParser.Container container = new GgufParser("fuzz.gguf", MemorySegment.ofArray(input)).parse();
      new GgufMetadata("fuzz.gguf", container.metadata()).architecture();
      for (GgufTensor tensor : container.tensors()) {
        if (tensor.rowLength() <= 1 << 16) {
          tensor.row(tensor.rows() - 1, new float[(int) tensor.rowLength()]);
        }
      }
    } catch (GgufException e) {
      if (e.getMessage().isEmpty() || e.getMessage().contains("\n")) {
        throw new AssertionError("not one sentence: " + e.getMessage(), e);
      }
    }
  }
}
