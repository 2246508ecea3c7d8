package dev.heddle.compiler.spec;

import dev.heddle.gguf.Recipe;
import dev.heddle.ir.DType;
import java.util.List;

/** Gives the tensors of a model that is known by its config only their types. */
@FunctionalInterface
public interface TypeRecipe {
  /**
   * The type of a tensor.
   *
   * @param tensor its GGUF name
   * @param ne dimensions, innermost first
   * @param layers number of layers of the model
   * @param tied true if the head is the embedding
   */
  DType type(String tensor, List<Long> ne, int layers, boolean tied);

  /** A quantisation's recipe, fallbacks included. */
  static TypeRecipe of(Recipe recipe) {
    return (tensor, ne, layers, tied) ->
        recipe
            .choose(tensor, ne.stream().mapToLong(Long::longValue).toArray(), layers, tied)
            .type();
  }

  /**
   * All matrices of one type; norms, biases and routers f32. Rows that are not whole blocks of the
   * type are f32, too.
   */
  static TypeRecipe uniform(DType type) {
    return (tensor, ne, layers, tied) -> {
      boolean small = ne.size() < 2 || tensor.contains("ffn_gate_inp");
      return small || ne.get(0) % type.blockSize() != 0 ? DType.F32 : type;
    };
  }
}
