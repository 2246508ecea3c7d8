package dev.heddle.codegen.jvm;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Expressions that depend on the vector width. Kernels think in 16 logical lanes; a machine vector
 * holds {@link #lanes()} of them and {@link #parts()} counts the vectors that make 16. Public
 * because templates call it.
 *
 * @param bits 128, 256 or 512
 */
public record VectorText(int bits) {
  public VectorText {
    if (bits != 128 && bits != 256 && bits != 512) {
      throw new IllegalArgumentException("vectors have 128, 256 or 512 bits, not " + bits);
    }
  }

  /** f32 lanes of a vector. */
  public int lanes() {
    return bits / 32;
  }

  /** Indices of the vectors that hold 16 logical lanes. */
  public List<Integer> parts() {
    return upTo(16 / lanes());
  }

  /** 0 .. n-1, for loops that a template unrolls. */
  public List<Integer> upTo(int n) {
    return IntStream.range(0, n).boxed().toList();
  }

  /** First lane of a part. */
  public int lane(int part) {
    return part * lanes();
  }

  /**
   * Int vector of the bytes of one part, zero-extended; {@code address} is where the part 0 starts.
   */
  public String unsignedBytes(String address, int part) {
    return "(IntVector) " + bytes(address, part, "ZERO_EXTEND_B2I", "I");
  }

  /** Float vector of the signed bytes of one part. */
  public String signedBytesAsFloats(String address, int part) {
    return "(FloatVector) " + bytes(address, part, "B2F", "F");
  }

  /** Float vector of one part of 16 signed bytes of an array. */
  public String byteArrayAsFloats(String array, String index, int part) {
    int offset = bits == 128 ? part / 2 * 8 : part * lanes();
    int piece = bits == 128 ? part % 2 : 0;
    return "(FloatVector) ByteVector.fromArray(B, "
        + array
        + ", "
        + at(index, offset)
        + ").convertShape(B2F, F, "
        + piece
        + ")";
  }

  private String bytes(String address, int part, String conversion, String to) {
    // 64 bits is the smallest byte vector: at 128 bits two parts share one load
    int offset = bits == 128 ? part / 2 * 8 : part * lanes();
    int piece = bits == 128 ? part % 2 : 0;
    return "ByteVector.fromMemorySegment(B, ALL, "
        + at(address, offset)
        + ", LE).convertShape("
        + conversion
        + ", "
        + to
        + ", "
        + piece
        + ")";
  }

  /** Int vector of the 16-bit values of one part, sign-extended. */
  public String shorts(String address, int part) {
    return "(IntVector) ShortVector.fromMemorySegment(H, ALL, "
        + at(address, 2 * lane(part))
        + ", LE).convertShape(S2I, I, 0)";
  }

  /** Float vector of the f32 values of one part. */
  public String floats(String address, int part) {
    return "FloatVector.fromMemorySegment(F, ALL, " + at(address, 4 * lane(part)) + ", LE)";
  }

  /** Float vector of one part out of an array. */
  public String array(String array, String index, int part) {
    return "FloatVector.fromArray(F, " + array + ", " + at(index, lane(part)) + ")";
  }

  /** {@code base + offset} without a needless zero. */
  public String at(String base, int offset) {
    return offset == 0 ? base : base + " + " + offset;
  }

  /**
   * Sum of the 16 logical lanes stored at {@code array[at ..]}: lane l with l ^ 8, then ^ 4, ^ 2, ^
   * 1. {@code stored} lanes are in the array: 16, or 8 or 4 when the first levels were vector
   * additions.
   */
  public String tree(String array, String at, int stored) {
    return sum(array, at, 0, 1, stored);
  }

  private String sum(String array, String at, int first, int step, int stored) {
    if (step == stored) {
      return array + "[" + at(at, first) + "]";
    }
    return "("
        + sum(array, at, first, step * 2, stored)
        + " + "
        + sum(array, at, first + step, step * 2, stored)
        + ")";
  }

  /** Lanes that are left of 16 when whole vectors have been added: what {@link #tree} then sums. */
  public int storedLanes() {
    return lanes();
  }

  /** Species constant of float vectors. */
  public String species() {
    return "SPECIES_" + bits;
  }

  /** Species constant of the byte vectors that widen to one int vector. */
  public String byteSpecies() {
    return "SPECIES_" + Math.max(64, bits / 4);
  }

  /** Species constant of the short vectors that widen to one int vector. */
  public String shortSpecies() {
    return "SPECIES_" + bits / 2;
  }

  /**
   * Vectors of the int8 path never exceed 256 bits: a block of 32 values is one such vector of
   * shorts, two at 128 bits.
   */
  public int narrowBits() {
    return Math.min(256, bits);
  }

  /** Bits of a byte vector that widens to one narrow vector of shorts. */
  public int narrowByteBits() {
    return narrowBits() / 2;
  }

  /** Indices of the narrow vectors of shorts in a block of 32 bytes. */
  public List<Integer> halves() {
    return upTo(bits == 128 ? 2 : 1);
  }
}
