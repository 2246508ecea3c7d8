package dev.heddle.codegen.jvm;

import dev.heddle.ir.DType;
import dev.heddle.ir.HeddleBug;
import java.util.List;

/**
 * How a weight type unpacks: a block is walked in units of inner iterations; a unit gives sets of
 * 16 neighbouring values, one a logical lane; sets of a group share a scale (and a minimum). Public
 * because templates read it.
 *
 * @param type storage type
 * @param block values in a block as kernels walk it: 16 for plain types
 * @param blockBytes bytes of such a block
 * @param inner units in a block
 * @param base first value of unit {@code j} within its block, a Java expression
 * @param groups groups of sets of a unit
 * @param scaled groups have a scale
 * @param minimum groups have a minimum: value = scale * q - minimum
 */
public record WeightForm(
    DType type,
    int block,
    int blockBytes,
    int inner,
    String base,
    List<Group> groups,
    boolean scaled,
    boolean minimum) {

  /** Sets that share a scale; each number is the first of 16 values, relative to the unit. */
  public record Group(List<Integer> sets) {}

  /** The form of a type, or a bug if the target never claimed it. */
  static WeightForm of(DType type) {
    return switch (type) {
      case F32 -> plain(type, 64);
      case F16, BF16 -> plain(type, 32);
      case Q8_0, Q4_0, MXFP4 ->
          new WeightForm(type, 32, type.blockBytes(), 1, "0", List.of(group(0, 16)), true, false);
      case Q4_K ->
          new WeightForm(
              type,
              256,
              type.blockBytes(),
              4,
              "64 * j",
              List.of(group(0, 16), group(32, 48)),
              true,
              true);
      case Q5_K ->
          new WeightForm(type, 256, type.blockBytes(), 16, "16 * j", List.of(group(0)), true, true);
      case Q6_K ->
          new WeightForm(
              type, 256, type.blockBytes(), 16, "16 * j", List.of(group(0)), true, false);
      default ->
          throw new HeddleBug(
              "no jvm kernel reads " + type.text() + " weights; the target does not list the type");
    };
  }

  private static WeightForm plain(DType type, int blockBytes) {
    return new WeightForm(type, 16, blockBytes, 1, "0", List.of(group(0)), false, false);
  }

  private static Group group(Integer... sets) {
    return new Group(List.of(sets));
  }

  /** Storage type's name, for comparisons in templates. */
  public String name() {
    return type.name();
  }

  /** Bytes of one value of a plain type. */
  public int valueBytes() {
    return blockBytes / block;
  }

  /** Neighbouring values that share a scale in the walk: 32, or 16 where a unit is one set. */
  public int groupValues() {
    return 16 * groups.getFirst().sets().size();
  }

  /** True if step kernels unpack a row into bytes before they multiply (lib/unpacked.vm). */
  public boolean unpacked() {
    return type == DType.Q6_K;
  }

  /** True if a row may end within a block of 16 (plain types only). */
  public boolean plain() {
    return !scaled;
  }
}
