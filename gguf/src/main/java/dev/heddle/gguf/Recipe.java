package dev.heddle.gguf;

import dev.heddle.ir.DType;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The type that a quantisation gives to each tensor, by its GGUF name, its shape and its layer:
 * llama.cpp's recipes.
 *
 * <p>Norms, biases, routers, convolutions and everything with one dimension stay F32. A row that is
 * no whole number of blocks falls back to a type with smaller blocks.
 */
public enum Recipe {
  Q8_0(DType.Q8_0, 7),
  Q4_0(DType.Q4_0, 2),
  Q4_K_M(DType.Q4_K, 15),
  Q6_K(DType.Q6_K, 18),
  F16(DType.F16, 1),
  F32(DType.F32, 0);

  private static final Pattern LAYER = Pattern.compile("blk\\.(\\d{1,6})\\..*");

  private final DType most;
  private final int fileType;

  Recipe(DType most, int fileType) {
    this.most = most;
    this.fileType = fileType;
  }

  /**
   * The type of a tensor.
   *
   * @param type what it becomes
   * @param wanted the type of the recipe, another than {@code type} if the rows are no whole blocks
   *     of it
   */
  public record Choice(DType type, DType wanted) {
    /** True if the rows did not fit the recipe's type. */
    public boolean isFallback() {
      return type != wanted;
    }
  }

  /** Metadata {@code general.file_type} of files of this recipe. */
  public int fileType() {
    return fileType;
  }

  /** The recipe's name as options write it: {@code q4_k_m}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The recipe of this name, in any case. */
  public static Optional<Recipe> ofText(String text) {
    return Arrays.stream(values()).filter(r -> r.name().equalsIgnoreCase(text)).findFirst();
  }

  /** All names, for messages: {@code q8_0, q4_0, ...}. */
  public static String names() {
    return Arrays.stream(values()).map(Recipe::text).collect(Collectors.joining(", "));
  }

  /**
   * The type of tensor {@code name}.
   *
   * @param ne the dimensions, row length first
   * @param layers the model's layers ({@code block_count})
   * @param isHeadTied true if the model has no {@code output.weight}, so that the embedding is the
   *     head too
   */
  public Choice choose(String name, long[] ne, int layers, boolean isHeadTied) {
    if (!isQuantised(name, ne)) {
      return new Choice(DType.F32, DType.F32);
    }
    DType wanted = wanted(name, layers, isHeadTied);
    return new Choice(fitting(wanted, ne[0]), wanted);
  }

  private DType wanted(String name, int layers, boolean isHeadTied) {
    if (name.equals("output.weight") || isHeadTied && name.equals("token_embd.weight")) {
      return this == Q4_K_M || this == Q4_0 ? DType.Q6_K : most;
    }
    if (this != Q4_K_M) {
      return most;
    }
    if (name.contains("attn_qkv.")) {
      return DType.Q5_K;
    }
    Matcher layer = LAYER.matcher(name);
    boolean isSensitive = name.contains("attn_v.") || name.contains("ffn_down");
    if (isSensitive && layer.matches() && hasMoreBits(Integer.parseInt(layer.group(1)), layers)) {
      return DType.Q6_K;
    }
    return most;
  }

  /** The first and last eighth of the layers, and every third between. */
  private static boolean hasMoreBits(int layer, int layers) {
    return layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
  }

  private static boolean isQuantised(String name, long[] ne) {
    long dims = Arrays.stream(ne).skip(1).filter(n -> n > 1).count();
    return dims > 0
        && name.endsWith("weight")
        && !name.contains("_norm.")
        && !name.contains("ffn_gate_inp.")
        && !name.contains("ssm_conv1d");
  }

  /** The recipe's type, or the first of its fallbacks whose blocks divide the row. */
  private static DType fitting(DType wanted, long rowLength) {
    DType type = wanted;
    if (rowLength % type.blockSize() != 0) {
      type =
          switch (wanted) {
            case Q4_K -> DType.Q5_0;
            case Q5_K -> DType.Q5_1;
            case Q6_K -> DType.Q8_0;
            default -> DType.F16;
          };
    }
    return rowLength % type.blockSize() == 0 ? type : DType.F16;
  }
}
