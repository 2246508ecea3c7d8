package dev.heddle.gguf;

import static dev.heddle.gguf.GgufException.number;
import static dev.heddle.gguf.GgufException.quoted;

import dev.heddle.ir.DType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes a model's file in other types: what {@code heddle quantize} runs. Memory holds a few
 * chunks of rows, whatever the model's size. Tensors that keep their type are copied; metadata are
 * kept but for {@code split.*}, {@code general.file_type} and {@code general.quantization_version}.
 */
public final class Requantiser {
  /** Values computed at a time: 4 MB of f32 a core. */
  private static final int CHUNK_VALUES = 1 << 20;

  private static final int QUANTIZATION_VERSION = 2;
  private static final float LARGEST_F16 = 65_504;

  /**
   * What became of a tensor; {@code wanted} differs from {@code to} where rows are no whole blocks
   * of it.
   */
  public record Change(String name, DType from, DType to, DType wanted) {}

  /**
   * What was written.
   *
   * @param bytesIn the input's size
   * @param bytesOut the output's size
   * @param changes all tensors in order
   */
  public record Summary(long bytesIn, long bytesOut, List<Change> changes) {
    /** The tensors whose rows did not fit the recipe's type. */
    public List<Change> fallbacks() {
      return changes.stream().filter(c -> c.to != c.wanted).toList();
    }

    /**
     * True if any quantised tensor was quantised anew, which costs more precision than starting
     * from f16 or f32.
     */
    public boolean isFromQuantised() {
      return changes.stream().anyMatch(c -> c.from.isQuantised() && c.from != c.to);
    }
  }

  private Requantiser() {}

  /** Writes {@code in} by {@code recipe} to {@code out}, atomically. */
  public static Summary run(Path in, Path out, Recipe recipe, Progress progress) {
    try (GgufFile file = GgufFile.open(in)) {
      if (isSame(in, out)) {
        throw new GgufException(
            out + ": input and output are the same file; choose another name for the output");
      }
      List<Change> changes = changes(file, recipe);
      List<GgufWriter.Tensor> tensors = new ArrayList<>();
      long total = 0;
      for (int i = 0; i < changes.size(); i++) {
        GgufTensor tensor = file.tensors().get(i);
        tensors.add(new GgufWriter.Tensor(tensor.name(), changes.get(i).to, tensor.ne()));
        total += tensors.getLast().bytes();
      }
      try (GgufWriter writer = GgufWriter.create(out, metadata(file, recipe), tensors);
          ParallelAppend append = new ParallelAppend(writer, progress, total)) {
        for (int i = 0; i < changes.size(); i++) {
          submit(in, file.tensors().get(i), changes.get(i).to, append);
        }
        append.finish();
        writer.commit();
      }
      return new Summary(file.bytes(), size(out), changes);
    }
  }

  /** What {@link #run} would do, without doing it. */
  public static List<Change> changes(GgufFile file, Recipe recipe) {
    boolean isHeadTied = file.tensor("output.weight").isEmpty();
    long layers =
        file.metadata().integer(file.metadata().architecture() + ".block_count").orElse(0L);
    List<Change> changes = new ArrayList<>();
    for (GgufTensor tensor : file.tensors()) {
      if (!tensor.type().isFloat() && !tensor.type().isQuantised()) {
        changes.add(new Change(tensor.name(), tensor.type(), tensor.type(), tensor.type()));
        continue;
      }
      Recipe.Choice choice =
          recipe.choose(tensor.name(), tensor.ne(), Math.clamp(layers, 0, 1 << 20), isHeadTied);
      changes.add(new Change(tensor.name(), tensor.type(), choice.type(), choice.wanted()));
    }
    return changes;
  }

  private static Map<String, GgufValue> metadata(GgufFile file, Recipe recipe) {
    Map<String, GgufValue> metadata = new LinkedHashMap<>(file.metadata().values());
    metadata.keySet().removeIf(key -> key.startsWith("split."));
    metadata.put("general.file_type", GgufValue.u32(recipe.fileType()));
    metadata.put("general.quantization_version", GgufValue.u32(QUANTIZATION_VERSION));
    return metadata;
  }

  private static void submit(Path in, GgufTensor tensor, DType to, ParallelAppend append) {
    long length = tensor.rowLength();
    if (length > Integer.MAX_VALUE / 8) {
      throw new GgufException(
          in
              + ": tensor "
              + quoted(tensor.name())
              + " has rows of "
              + number(length)
              + " values, more than are quantised at a time; the file is damaged");
    }
    long rowsPerChunk = Math.max(1, CHUNK_VALUES / length);
    for (long row = 0; row < tensor.rows(); row += rowsPerChunk) {
      long first = row;
      long rows = Math.min(rowsPerChunk, tensor.rows() - row);
      append.submit(tensor.name(), () -> chunk(in, tensor, to, first, rows));
    }
  }

  private static MemorySegment chunk(
      Path in, GgufTensor tensor, DType to, long firstRow, long rows) {
    long fromBytes = tensor.rowBytes();
    if (to == tensor.type()) {
      return tensor.data().asSlice(firstRow * fromBytes, rows * fromBytes);
    }
    int length = (int) tensor.rowLength();
    long toBytes = to.bytes(length);
    float[] values = new float[length];
    MemorySegment out = MemorySegment.ofArray(new byte[Math.toIntExact(rows * toBytes)]);
    for (long row = 0; row < rows; row++) {
      Dequantiser.row(
          tensor.type(), tensor.data(), (firstRow + row) * fromBytes, values, 0, length);
      requireFits(in, tensor, to, firstRow + row, values);
      Quantiser.row(to, values, 0, out, row * toBytes, length);
    }
    return out;
  }

  /** Refuses what is not finite, and what f16 values and scales cannot reach. */
  private static void requireFits(Path in, GgufTensor tensor, DType to, long row, float[] values) {
    float most = to == DType.F32 || to == DType.BF16 ? Float.MAX_VALUE : LARGEST_F16;
    for (int i = 0; i < values.length; i++) {
      // Written so that a NaN fails too.
      if (!(Math.abs(values[i]) <= most)) {
        throw new GgufException(
            in
                + ": tensor "
                + quoted(tensor.name())
                + " has the value "
                + values[i]
                + " at row "
                + number(row)
                + ", column "
                + number(i)
                + ", which "
                + to.text()
                + " cannot hold; convert the model again or fetch it again");
      }
    }
  }

  private static boolean isSame(Path in, Path out) {
    try {
      return Files.exists(out) && Files.isSameFile(in, out);
    } catch (IOException e) {
      throw new GgufException(
          out + ": cannot be examined (" + e.getMessage() + "); choose another name for the output",
          e);
    }
  }

  private static long size(Path out) {
    try {
      return Files.size(out);
    } catch (IOException e) {
      throw new GgufException(
          out + ": was written and is gone (" + e.getMessage() + "); run the command again", e);
    }
  }
}
