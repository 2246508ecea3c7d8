package dev.heddle.gguf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.DType;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RequantiserTest {
  @TempDir Path folder;

  private Path in() {
    return folder.resolve("in.gguf");
  }

  private Path out() {
    return folder.resolve("out.gguf");
  }

  private void write(DType type, float planted) {
    Map<String, GgufValue> metadata = new LinkedHashMap<>();
    metadata.put("general.architecture", GgufValue.text("llama"));
    metadata.put("llama.block_count", GgufValue.u32(1));
    metadata.put("split.count", GgufValue.u32(1));
    List<GgufWriter.Tensor> tensors =
        List.of(
            new GgufWriter.Tensor("token_embd.weight", type, new long[] {512, 3000}),
            new GgufWriter.Tensor("output_norm.weight", DType.F32, new long[] {512}),
            new GgufWriter.Tensor("blk.0.ffn_up.weight", type, new long[] {96, 40}),
            new GgufWriter.Tensor("blk.0.attn_q.weight", type, new long[] {256, 40}));
    SplittableRandom random = new SplittableRandom(9);
    try (GgufWriter out = GgufWriter.create(in(), metadata, tensors)) {
      for (GgufWriter.Tensor t : tensors) {
        float[] values =
            new float[(int) (t.bytes() * t.type().blockSize() / t.type().blockBytes())];
        for (int i = 0; i < values.length; i++) {
          values[i] = (float) random.nextGaussian();
        }
        values[700 % values.length] = planted;
        MemorySegment bytes = MemorySegment.ofArray(new byte[(int) t.bytes()]);
        Quantiser.row(t.type(), values, 0, bytes, 0, values.length);
        out.append(bytes);
      }
      out.commit();
    }
  }

  @Test
  void tensorsBecomeWhatTheRecipeSays() {
    write(DType.F32, 1);
    Requantiser.Summary summary = Requantiser.run(in(), out(), Recipe.Q4_K_M, Progress.NONE);
    List<DType> types = summary.changes().stream().map(Requantiser.Change::to).toList();
    assertEquals(List.of(DType.Q6_K, DType.F32, DType.Q5_0, DType.Q4_K), types);
    assertEquals(
        List.of("blk.0.ffn_up.weight"),
        summary.fallbacks().stream().map(Requantiser.Change::name).toList());
    assertFalse(summary.isFromQuantised());
    try (GgufFile before = GgufFile.open(in());
        GgufFile after = GgufFile.open(out())) {
      assertEquals(summary.bytesOut(), after.bytes());
      assertEquals(15L, after.metadata().integer("general.file_type").orElseThrow());
      assertFalse(after.metadata().has("split.count"));
      for (GgufTensor tensor : after.tensors()) {
        float[] expected = before.require(tensor.name()).toFloats();
        float[] actual = tensor.toFloats();
        double squares = 0;
        for (int i = 0; i < expected.length; i++) {
          squares += Math.pow((double) expected[i] - actual[i], 2);
        }
        double rmse = Math.sqrt(squares / expected.length);
        double most =
            switch (tensor.type()) {
              case Q6_K -> 0.02;
              case Q5_0 -> 0.05;
              case Q4_K -> 0.08;
              default -> 0;
            };
        assertTrue(rmse <= most, () -> tensor + ": " + rmse);
      }
    }
  }

  @Test
  void aBlockMatchesTheOneQuantisedAlone() {
    write(DType.F32, 1);
    Requantiser.run(in(), out(), Recipe.Q8_0, Progress.NONE);
    try (GgufFile before = GgufFile.open(in());
        GgufFile after = GgufFile.open(out())) {
      float[] row = new float[512];
      before.require("token_embd.weight").row(2999, row);
      MemorySegment expected = MemorySegment.ofArray(new byte[544]);
      Quantiser.row(DType.Q8_0, row, 0, expected, 0, 512);
      assertEquals(
          -1, expected.mismatch(after.require("token_embd.weight").data().asSlice(2999 * 544)));
    }
  }

  @Test
  void progressEndsAtTheTotal() {
    write(DType.BF16, 1);
    List<Long> done = new ArrayList<>();
    List<Long> totals = new ArrayList<>();
    Requantiser.run(
        in(),
        out(),
        Recipe.Q8_0,
        (d, total, _) -> {
          done.add(d);
          totals.add(total);
        });
    assertEquals(done.stream().sorted().toList(), done);
    assertEquals(totals.getFirst(), done.getLast());
  }

  @Test
  void saysWhenTheInputWasQuantised() {
    write(DType.Q8_0, 1);
    assertTrue(Requantiser.run(in(), out(), Recipe.Q4_0, Progress.NONE).isFromQuantised());
    Path again = folder.resolve("again.gguf");
    assertFalse(Requantiser.run(in(), again, Recipe.Q8_0, Progress.NONE).isFromQuantised());
  }

  @Test
  void aValueBeyondF16IsNamed() {
    write(DType.F32, -70_000);
    GgufException e =
        assertThrows(
            GgufException.class, () -> Requantiser.run(in(), out(), Recipe.F16, Progress.NONE));
    assertEquals(
        in()
            + ": tensor 'token_embd.weight' has the value -70000.0 at row 1, column 188, which f16 cannot hold; "
            + "convert the model again or fetch it again",
        e.getMessage());
  }

  @Test
  void aValueThatIsNotFiniteIsNamedAndNothingIsWritten() {
    write(DType.F32, Float.POSITIVE_INFINITY);
    GgufException e =
        assertThrows(
            GgufException.class, () -> Requantiser.run(in(), out(), Recipe.Q8_0, Progress.NONE));
    assertEquals(
        in()
            + ": tensor 'token_embd.weight' has the value Infinity at row 1, column 188, which q8_0 cannot hold; "
            + "convert the model again or fetch it again",
        e.getMessage());
    assertFalse(Files.exists(out()));
  }

  @Test
  void theInputIsNeverTheOutput() {
    write(DType.F32, 1);
    GgufException e =
        assertThrows(
            GgufException.class, () -> Requantiser.run(in(), in(), Recipe.Q8_0, Progress.NONE));
    assertEquals(
        in() + ": input and output are the same file; choose another name for the output",
        e.getMessage());
  }
}
