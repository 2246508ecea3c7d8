package dev.heddle.ir.bundle;

import dev.heddle.ir.DType;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.LaunchShape;
import dev.heddle.ir.plan.Resources;
import dev.heddle.ir.plan.RopeTable;
import java.util.List;
import java.util.Map;

/**
 * {@code manifest.json} of a bundle: all that the runtime needs beside plans and kernels.
 *
 * @param format format version of the bundle, {@link #FORMAT}
 * @param heddle version of heddle that wrote it
 * @param model the spec's name = general.architecture
 * @param config name of the configuration, or the GGUF's general.name
 * @param parameters resolved spec parameters, as printed text (E=2048, ..)
 * @param target "jvm", "cuda", "hip"
 * @param arch "jvm", "sm_90", ..
 * @param passes names of the passes that ran
 * @param arithmetic sentences: what changes arithmetic against the exact path (empty = exact)
 * @param kvType element type of KV caches
 * @param contextLength the model's trained length
 * @param vocabulary rows of the head
 * @param weights every GGUF tensor that the plans read
 * @param states every state
 * @param ropeTables tables computed at load
 * @param kernels kernel kinds with their class (JVM) or symbol names, in the index order that plans
 *     use
 * @param plans plan keys in text form; each stands in {@code plans/KEY.json}
 * @param hashes SHA-256 of every other entry, by entry name
 */
public record Manifest(
    int format,
    String heddle,
    String model,
    String config,
    Map<String, String> parameters,
    String target,
    String arch,
    List<String> passes,
    List<String> arithmetic,
    DType kvType,
    int contextLength,
    int vocabulary,
    List<Weight> weights,
    List<State> states,
    List<RopeTable> ropeTables,
    List<Kernel> kernels,
    List<String> plans,
    Map<String, String> hashes) {
  /** The current format. */
  public static final int FORMAT = 1;

  /** This manifest with other hashes. */
  public Manifest withHashes(Map<String, String> other) {
    return new Manifest(
        format,
        heddle,
        model,
        config,
        parameters,
        target,
        arch,
        passes,
        arithmetic,
        kvType,
        contextLength,
        vocabulary,
        weights,
        states,
        ropeTables,
        kernels,
        plans,
        other);
  }

  /**
   * A tensor.
   *
   * @param tensor its GGUF name
   * @param stored type in the file
   * @param dims in GGUF order
   * @param loaded type in memory: {@code stored}, or F32 when the target has no kernel for it (a
   *     dequantised copy is made at load)
   * @param packing order of bytes in memory: {@link #GGUF}, or {@link
   *     dev.heddle.ir.plan.abi.PlanarRows#NAME}, made at load
   */
  public record Weight(
      String tensor, DType stored, List<Long> dims, DType loaded, @MayBeAbsent String packing) {
    /** As in a GGUF file: blocks of a row one after the other. */
    public static final String GGUF = "gguf";

    public Weight {
      packing = packing == null ? GGUF : packing;
    }

    /** A tensor in GGUF's order of bytes. */
    public Weight(String tensor, DType stored, List<Long> dims, DType loaded) {
      this(tensor, stored, dims, loaded, GGUF);
    }
  }

  /** A KV state: rows of {@code heads * d} values a position. */
  public record State(String name, int layer, DType type, int heads, int d, String rollback) {}

  /**
   * A kernel of the bundle.
   *
   * @param name class (JVM) or symbol (GPU)
   * @param launch how it is launched; null on the JVM
   * @param resources what it uses, by its compiler's output; null on the JVM
   */
  public record Kernel(
      String name,
      KernelKind kind,
      @MayBeAbsent LaunchShape launch,
      @MayBeAbsent Resources resources) {
    /** A kernel of the JVM. */
    public Kernel(String name, KernelKind kind) {
      this(name, kind, null, null);
    }
  }
}
