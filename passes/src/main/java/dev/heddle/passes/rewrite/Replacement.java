package dev.heddle.passes.rewrite;

import dev.heddle.ir.Op;
import dev.heddle.ir.Value;
import java.util.List;

/**
 * One node in place of several.
 *
 * @param op the new op
 * @param inputs values of the old graph, none of them computed by a replaced node
 * @param results for each result of the new op the old value that it stands for
 */
public record Replacement(Op op, List<Value> inputs, List<Value> results) {
  public Replacement {
    inputs = List.copyOf(inputs);
    results = List.copyOf(results);
  }
}
