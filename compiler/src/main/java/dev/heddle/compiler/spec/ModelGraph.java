package dev.heddle.compiler.spec;

import dev.heddle.ir.DType;
import dev.heddle.ir.Graph;
import dev.heddle.ir.Op;
import dev.heddle.ir.TensorType;
import java.util.List;
import java.util.Map;

/**
 * A model: its graph and what the rest of the compiler must know of it.
 *
 * @param model the spec's name = general.architecture
 * @param config name of the config or of the file
 * @param main the graph of a step; its outputs are the result ("logits"), captures asked for, and
 *     "state:NAME" for every state
 * @param params resolved parameters as printed text, in the spec's order
 * @param weights every tensor that the graph reads, in order of first use
 * @param states every state of the graph
 * @param layers number of layers
 * @param vocabulary rows of the head
 * @param contextLength the model's trained length, 0 if the spec has no "context_length"
 * @param metadata GGUF metadata that gives these parameters, full keys: Long, Double, Boolean,
 *     String, or a List of these
 * @param contents values of the tensors that a config defines by formula (rope factors); empty for
 *     a file
 * @param warnings sentences on what was ignored
 */
public record ModelGraph(
    String model,
    String config,
    Graph main,
    Map<String, String> params,
    List<WeightUse> weights,
    List<StateUse> states,
    int layers,
    int vocabulary,
    int contextLength,
    Map<String, Object> metadata,
    Map<String, float[]> contents,
    List<String> warnings) {

  /**
   * A tensor of the model.
   *
   * @param tensor its GGUF name
   * @param stored its element type in the file
   * @param ne dimensions, innermost first
   */
  public record WeightUse(String tensor, DType stored, List<Long> ne) {
    public WeightUse {
      ne = List.copyOf(ne);
    }

    /** Number of values. */
    public long values() {
      return ne.stream().reduce(1L, Math::multiplyExact);
    }

    /** Bytes in the file. */
    public long bytes() {
      return stored.bytes(ne.get(0)) * (values() / ne.get(0));
    }
  }

  /** A state: name in the graph, layer, rollback class, type (rows [C, heads, d] for KV). */
  public record StateUse(String name, int layer, Op.Rollback rollback, TensorType type) {}

  /** Number of weight values. */
  public long parameters() {
    return weights.stream().mapToLong(WeightUse::values).sum();
  }

  /** Bytes of all weights as stored. */
  public long weightBytes() {
    return weights.stream().mapToLong(WeightUse::bytes).sum();
  }
}
