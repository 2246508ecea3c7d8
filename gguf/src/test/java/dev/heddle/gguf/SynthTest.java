package dev.heddle.gguf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.DType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SynthTest {
  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"Q8_1", "I8", "I16", "I32", "I64"})
  void weightsHaveZeroMeanAndTheDeviationOfTheirRowLength(DType type) {
    long[] ne = {2048, 64};
    float[] values = filled("blk.0.ffn_up.weight", type, ne);
    double sum = 0;
    double squares = 0;
    for (float value : values) {
      assertTrue(Float.isFinite(value));
      sum += value;
      squares += (double) value * value;
    }
    double deviation = Math.sqrt(squares / values.length) * Math.sqrt(2048);
    // The scale of NVFP4 has three bits of mantissa at best.
    assertEquals(1, deviation, type == DType.NVFP4 ? 0.3 : 0.03, type.text());
    assertEquals(0, sum / values.length * Math.sqrt(2048), 0.05, type.text());
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"Q8_1", "I8", "I16", "I32", "I64"})
  void chunksAreTheSameBytesAsTheWhole(DType type) {
    long[] ne = {1024, 4};
    byte[] whole = new byte[(int) type.bytes(4096)];
    Synth.fill("w", type, ne, 3, MemorySegment.ofArray(whole));
    byte[] chunks = new byte[whole.length];
    int block = type.blockBytes();
    for (int at = 0, size = block;
        at < whole.length;
        at += size, size = Math.min(3 * block, whole.length - at)) {
      Synth.fill("w", type, ne, 3, at, MemorySegment.ofArray(chunks).asSlice(at, size));
    }
    assertArrayEquals(whole, chunks);
  }

  @Test
  void seedNameAndPositionChangeTheValues() {
    float[] values = filled("a", DType.Q8_0, new long[] {256, 2});
    assertFalse(java.util.Arrays.equals(values, filled("b", DType.Q8_0, new long[] {256, 2})));
    assertFalse(java.util.Arrays.equals(values, 0, 256, values, 256, 512));
    byte[] other = new byte[544];
    Synth.fill("a", DType.Q8_0, new long[] {256, 2}, 8, MemorySegment.ofArray(other));
    GgufTensor otherSeed =
        new GgufTensor("a", DType.Q8_0, new long[] {512}, MemorySegment.ofArray(other));
    assertFalse(java.util.Arrays.equals(values, otherSeed.toFloats()));
  }

  @Test
  void tensorsThatAreNoWeightsHaveTheValuesOfTheirRole() {
    for (float value : filled("blk.0.attn_norm.weight", DType.F32, new long[] {300})) {
      assertTrue(value >= 0.9f && value <= 1.1f);
    }
    for (float value : filled("blk.0.ssm_a", DType.F32, new long[] {300})) {
      assertTrue(value <= -0.1f && value >= -1);
    }
    assertArrayEquals(
        new float[] {1, 1, 1}, filled("rope_freqs.weight", DType.F32, new long[] {3}));
  }

  @Test
  void writesAFileThatFillRepeats() throws IOException {
    Path path = folder.resolve("synth.gguf");
    List<GgufWriter.Tensor> tensors =
        List.of(
            new GgufWriter.Tensor("token_embd.weight", DType.Q6_K, new long[] {256, 30_000}),
            new GgufWriter.Tensor("output_norm.weight", DType.F32, new long[] {256}),
            new GgufWriter.Tensor("blk.0.ffn_up.weight", DType.Q4_K, new long[] {256, 512}));
    Map<String, GgufValue> metadata = new LinkedHashMap<>();
    metadata.put("general.architecture", GgufValue.text("llama"));
    metadata.putAll(Synth.vocabulary(30_000, "llama-bpe"));
    Synth.write(path, metadata, tensors, 42, Progress.NONE);
    try (GgufFile file = GgufFile.open(path)) {
      for (GgufTensor tensor : file.tensors()) {
        MemorySegment again = MemorySegment.ofArray(new byte[(int) tensor.data().byteSize()]);
        Synth.fill(tensor.name(), tensor.type(), tensor.ne(), 42, again);
        assertEquals(-1, again.mismatch(tensor.data()), tensor.name());
      }
      assertEquals(30_000, file.metadata().texts("tokenizer.ggml.tokens").orElseThrow().size());
    }
    byte[] first = Files.readAllBytes(path);
    Synth.write(path, metadata, tensors, 42, Progress.NONE);
    assertArrayEquals(first, Files.readAllBytes(path));
  }

  @Test
  void vocabularyHasEveryByteOnce() {
    Map<String, GgufValue> metadata = Synth.vocabulary(300, "qwen2");
    List<String> tokens = ((GgufValue.Texts) metadata.get("tokenizer.ggml.tokens")).values();
    assertEquals(300, new HashSet<>(tokens).size());
    assertEquals("\u0100", tokens.get(0));
    assertEquals("\u0120", tokens.get(' '));
    assertEquals("A", tokens.get('A'));
    assertEquals("\u0143", tokens.get(0xad));
    assertEquals("\u00ff", tokens.get(0xff));
    assertEquals("[PAD 299]", tokens.get(299));
    assertThrows(IllegalArgumentException.class, () -> Synth.vocabulary(256, "qwen2"));
  }

  private static float[] filled(String name, DType type, long[] ne) {
    long rows = ne.length == 1 ? 1 : ne[1];
    MemorySegment bytes = MemorySegment.ofArray(new byte[(int) (type.bytes(ne[0]) * rows)]);
    Synth.fill(name, type, ne, 7, bytes);
    return new GgufTensor(name, type, ne, bytes).toFloats();
  }
}
