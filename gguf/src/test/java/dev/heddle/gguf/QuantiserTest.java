package dev.heddle.gguf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.DType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Blocks written against ggml's: equal bytes where there is nothing to search, equal error where
 * there is.
 */
class QuantiserTest {

  @ParameterizedTest
  @EnumSource(
      names = {"F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q4_K", "Q5_K", "Q6_K"})
  void writesTheReferencesBytes(DType type) throws IOException {
    byte[] expected =
        Safetensors.read(DequantiserTest.QUANT.resolve(type + ".safetensors")).bytes("raw");
    assertArrayEquals(expected, quantised(type, input()));
  }

  @ParameterizedTest
  @MethodSource("dev.heddle.gguf.DequantiserTest#index")
  void errorIsAtMostOnePercentAboveTheReferences(DequantiserTest.Entry entry) throws IOException {
    if (!Quantiser.writes(entry.type())) {
      assertThrows(IllegalArgumentException.class, () -> quantised(entry.type(), input()));
      return;
    }
    float[] input = input();
    byte[] blocks = quantised(entry.type(), input);
    float[] back = new float[input.length];
    Dequantiser.row(entry.type(), MemorySegment.ofArray(blocks), 0, back, 0, back.length);
    double squares = 0;
    for (int i = 0; i < input.length; i++) {
      squares += Math.pow((double) back[i] - input[i], 2);
    }
    double rmse = Math.sqrt(squares / input.length);
    assertTrue(
        rmse <= 1.01 * entry.rmse(), () -> entry.type() + ": " + rmse + " against " + entry.rmse());
  }

  @ParameterizedTest
  @EnumSource(names = {"Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q4_K", "Q5_K", "Q6_K"})
  void keepsZerosAndConstantsWhateverTheirSize(DType type) {
    for (float constant : new float[] {0, 1e-30f, -1e-30f, 1e-3f, -250, 6e4f}) {
      float[] values = new float[256];
      java.util.Arrays.fill(values, constant);
      float[] back = new float[256];
      Dequantiser.row(type, MemorySegment.ofArray(quantised(type, values)), 0, back, 0, 256);
      for (float value : back) {
        // A small block's scale is a subnormal f16: 1e-3 / 31 / 63 is 9 of its steps.
        assertEquals(constant, value, 0.03 * Math.abs(constant) + 1e-6, type + " of " + constant);
      }
    }
  }

  @Test
  void aBlockDoesNotDependOnItsNeighbours() {
    SplittableRandom random = new SplittableRandom(5);
    float[] values = new float[1024];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) random.nextGaussian();
    }
    byte[] row = quantised(DType.Q4_K, values);
    byte[] third = quantised(DType.Q4_K, java.util.Arrays.copyOfRange(values, 512, 768));
    assertArrayEquals(third, java.util.Arrays.copyOfRange(row, 288, 432));
  }

  private static float[] input() throws IOException {
    return Safetensors.read(DequantiserTest.QUANT.resolve("input.safetensors")).floats("input");
  }

  private static byte[] quantised(DType type, float[] values) {
    byte[] blocks = new byte[(int) type.bytes(values.length)];
    Quantiser.row(type, values, 0, MemorySegment.ofArray(blocks), 0, values.length);
    return blocks;
  }
}
