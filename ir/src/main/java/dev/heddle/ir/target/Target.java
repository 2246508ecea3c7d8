package dev.heddle.ir.target;

import dev.heddle.ir.DType;
import dev.heddle.ir.bundle.Manifest;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * A target's capabilities.
 *
 * @param name "jvm", "cuda", "hip"
 * @param arch the exact chip, "jvm" on the JVM
 * @param weightTypes weight types that product and embedding kernels read as stored; others are
 *     dequantised when loaded
 * @param int8WeightTypes weight types whose product kernels also take q8_1 rows
 * @param int8Default whether int8-activations is on unless somebody chose: it is where measurements
 *     show it faster
 * @param packings weight types that are repacked at load, with the name of their layout
 */
public record Target(
    String name,
    String arch,
    Set<DType> weightTypes,
    Set<DType> int8WeightTypes,
    boolean int8Default,
    Map<DType, String> packings) {
  public Target {
    weightTypes = Set.copyOf(weightTypes);
    int8WeightTypes = Set.copyOf(int8WeightTypes);
    packings = Map.copyOf(packings);
  }

  /** A target that reads all weights in GGUF's order of bytes. */
  public Target(
      String name,
      String arch,
      Set<DType> weightTypes,
      Set<DType> int8WeightTypes,
      boolean int8Default) {
    this(name, arch, weightTypes, int8WeightTypes, int8Default, Map.of());
  }

  /**
   * The order of bytes that kernels want for weights of this type in memory: a {@link
   * Manifest.Weight#packing()}.
   */
  public String packing(DType loaded) {
    return packings.getOrDefault(loaded, Manifest.Weight.GGUF);
  }

  /**
   * The JVM with the Vector API. Kernels are the same whatever the vector width, so it is no part
   * of the target.
   */
  public static Target jvm() {
    return new Target(
        "jvm",
        "jvm",
        EnumSet.of(
            DType.F32,
            DType.F16,
            DType.BF16,
            DType.Q8_0,
            DType.Q4_0,
            DType.Q4_K,
            DType.Q5_K,
            DType.Q6_K,
            DType.MXFP4),
        EnumSet.of(DType.Q8_0, DType.Q4_0, DType.Q4_K, DType.Q5_K, DType.Q6_K, DType.MXFP4),
        false);
  }

  /** This target with another default for int8-activations. */
  public Target withInt8Default(boolean on) {
    return new Target(name, arch, weightTypes, int8WeightTypes, on, packings);
  }
}
