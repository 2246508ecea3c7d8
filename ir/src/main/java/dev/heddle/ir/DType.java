package dev.heddle.ir;

import java.util.Optional;

/**
 * Element types of tensors: GGUF's storage types with their ggml ids and block layouts, and the
 * types that only graphs use.
 *
 * <p>A block holds {@link #blockSize()} consecutive values of a row in {@link #blockBytes()} bytes.
 * Ids, sizes: ggml.h and ggml-common.h of llama.cpp v0.5.0.
 */
public enum DType {
  F32(0, 1, 4),
  F16(1, 1, 2),
  Q4_0(2, 32, 18),
  Q4_1(3, 32, 20),
  Q5_0(6, 32, 22),
  Q5_1(7, 32, 24),
  Q8_0(8, 32, 34),
  Q2_K(10, 256, 84),
  Q3_K(11, 256, 110),
  Q4_K(12, 256, 144),
  Q5_K(13, 256, 176),
  Q6_K(14, 256, 210),
  IQ2_XXS(16, 256, 66),
  IQ2_XS(17, 256, 74),
  IQ3_XXS(18, 256, 98),
  IQ1_S(19, 256, 50),
  IQ4_NL(20, 32, 18),
  IQ3_S(21, 256, 110),
  IQ2_S(22, 256, 82),
  IQ4_XS(23, 256, 136),
  I8(24, 1, 1),
  I16(25, 1, 2),
  I32(26, 1, 4),
  I64(27, 1, 8),
  F64(28, 1, 8),
  IQ1_M(29, 256, 56),
  BF16(30, 1, 2),
  TQ1_0(34, 256, 54),
  TQ2_0(35, 256, 66),
  MXFP4(39, 32, 17),
  NVFP4(40, 64, 36),
  Q1_0(41, 128, 18),
  Q2_0(42, 64, 18),
  /**
   * heddle's activation rows, never stored in a file: 32 int8, then f32 scale d, then f32 s = d x
   * sum of the int8 (arch/ops.md 2.12). 40 bytes a block.
   */
  Q8_1(-1, 32, 40);

  private final int ggmlId;
  private final int blockSize;
  private final int blockBytes;

  DType(int ggmlId, int blockSize, int blockBytes) {
    this.ggmlId = ggmlId;
    this.blockSize = blockSize;
    this.blockBytes = blockBytes;
  }

  /** The id in a GGUF tensor header, or -1 for a type that no file holds. */
  public int ggmlId() {
    return ggmlId;
  }

  /** Values in a block; 1 for plain types. */
  public int blockSize() {
    return blockSize;
  }

  /** Bytes of a block. */
  public int blockBytes() {
    return blockBytes;
  }

  /**
   * Bytes of {@code values} consecutive values; {@code values} must be a multiple of the block
   * size.
   */
  public long bytes(long values) {
    if (values % blockSize != 0) {
      throw new IllegalArgumentException(
          values + " values are not whole blocks of " + blockSize + " (" + text() + ")");
    }
    return Math.multiplyExact(values / blockSize, (long) blockBytes);
  }

  /** True for types whose blocks hold more than one value. */
  public boolean isQuantised() {
    return blockSize > 1;
  }

  /** True for the types that hold real numbers without blocks. */
  public boolean isFloat() {
    return this == F32 || this == F16 || this == BF16 || this == F64;
  }

  /** Lower-case name, as graphs, options and reports write it: {@code q4_k}. */
  public String text() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }

  /** The type with this ggml id. */
  public static Optional<DType> ofGgml(int id) {
    for (DType type : values()) {
      if (type.ggmlId == id && id >= 0) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }

  /** The type with this lower- or upper-case name. */
  public static Optional<DType> ofText(String text) {
    for (DType type : values()) {
      if (type.name().equalsIgnoreCase(text)) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }
}
