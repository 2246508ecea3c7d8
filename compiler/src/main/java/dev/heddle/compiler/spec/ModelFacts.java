package dev.heddle.compiler.spec;

import dev.heddle.ir.DType;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** What a model file says of itself: metadata, and its tensors' types and dimensions. */
public interface ModelFacts {
  /** The file's name, for messages. */
  String name();

  /**
   * The value of a metadata key, its full name given: a Number, Boolean, String, a List or an array
   * of these.
   */
  Optional<Object> metadata(String key);

  /** A tensor. */
  Optional<Tensor> tensor(String name);

  /** All tensors. */
  Collection<String> tensorNames();

  /** Element type and dimensions, innermost first. */
  record Tensor(DType type, List<Long> ne) {
    public Tensor {
      ne = List.copyOf(ne);
    }
  }
}
