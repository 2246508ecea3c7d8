package dev.heddle.gguf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.DType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Values of blocks against ggml's, bit for bit: blocks that its writers make and blocks of random
 * bits.
 */
class DequantiserTest {
  static final Path QUANT = Path.of("src/test/resources/quant");

  /** A line of index.json: ggml's id, elements and bytes of a block, RMS error of ggml's writer. */
  record Entry(DType type, int id, int block, int bytes, double rmse) {}

  static List<Entry> index() throws IOException {
    Pattern entry =
        Pattern.compile(
            "\"(\\w+)\": \\{\\s*\"ggml_type\": (\\d+),\\s*\"block\": (\\d+),\\s*\"bytes\": (\\d+),\\s*\"rmse\": ([0-9.e-]+)");
    Matcher m = entry.matcher(Files.readString(QUANT.resolve("index.json")));
    List<Entry> entries = new ArrayList<>();
    while (m.find()) {
      entries.add(
          new Entry(
              DType.valueOf(m.group(1)),
              Integer.parseInt(m.group(2)),
              Integer.parseInt(m.group(3)),
              Integer.parseInt(m.group(4)),
              Double.parseDouble(m.group(5))));
    }
    assertEquals(27, entries.size());
    return entries;
  }

  @ParameterizedTest
  @MethodSource("index")
  void typesHaveTheFormatsIdsAndSizes(Entry entry) {
    assertEquals(entry.id, entry.type.ggmlId());
    assertEquals(entry.block, entry.type.blockSize());
    assertEquals(entry.bytes, entry.type.blockBytes());
  }

  @ParameterizedTest
  @MethodSource("index")
  void valuesAreBitForBitTheReferences(Entry entry) throws IOException {
    Safetensors vectors = Safetensors.read(QUANT.resolve(entry.type + ".safetensors"));
    compare(entry.type, vectors, "raw", "dequantized");
    if (entry.block > 1) {
      compare(entry.type, vectors, "random_raw", "random_dequantized");
    }
    if (vectors.has("raw_ref")) {
      compare(entry.type, vectors, "raw_ref", "dequantized_ref");
    }
  }

  private static void compare(DType type, Safetensors vectors, String raw, String wanted) {
    float[] expected = vectors.floats(wanted);
    float[] actual = new float[expected.length + 3];
    Dequantiser.row(type, vectors.segment(raw), 0, actual, 3, expected.length);
    int differing = 0;
    String first = "";
    for (int i = 0; i < expected.length; i++) {
      if (Float.floatToRawIntBits(expected[i]) != Float.floatToRawIntBits(actual[i + 3])) {
        first =
            differing++ == 0
                ? "value " + i + " is " + actual[i + 3] + ", not " + expected[i]
                : first;
      }
    }
    assertEquals(0, differing, type + " " + wanted + " of " + expected.length + ": " + first);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "Q8_1")
  void everyTypeOfAFileHasValues(DType type) {
    float[] values = new float[2 * type.blockSize()];
    java.util.Arrays.fill(values, Float.NaN);
    MemorySegment zeros = MemorySegment.ofArray(new byte[2 * type.blockBytes() + 1]);
    Dequantiser.row(type, zeros, 1, values, 0, values.length);
    for (float value : values) {
      assertTrue(Math.abs(value) < 1e-30, () -> type + " of zero bytes gives " + value);
    }
  }

  @Test
  void refusesPartsOfABlock() {
    MemorySegment block = MemorySegment.ofArray(new byte[34]);
    assertThrows(
        IllegalArgumentException.class,
        () -> Dequantiser.row(DType.Q8_0, block, 0, new float[32], 0, 31));
  }
}
