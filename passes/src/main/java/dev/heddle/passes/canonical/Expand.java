package dev.heddle.passes.canonical;

import dev.heddle.ir.Op;
import dev.heddle.ir.Value;
import java.util.ArrayList;
import java.util.List;

/**
 * Primitives of composed ops (fusions.md 1 and 2). The order of sums is the op's own, so the bits
 * are the same.
 */
final class Expand {
  private final Simplify simplify;

  Expand(Simplify simplify) {
    this.simplify = simplify;
  }

  /**
   * score, add the bias for choosing only, top_k, get_rows, then sum, clamp, div where the router
   * renormalises, then scale.
   */
  List<Value> router(Op.Router router, List<Value> inputs) {
    Value logits = inputs.get(0);
    Value scores =
        switch (router.score()) {
          case SOFTMAX -> simplify.op(new Op.Softmax(), logits);
          case SIGMOID -> simplify.op(new Op.Sigmoid(), logits);
          case SQRT_SOFTPLUS -> simplify.op(new Op.Sqrt(), simplify.op(new Op.Softplus(), logits));
          case IDENTITY -> logits;
        };
    Value choosing = router.bias() ? simplify.op(new Op.Add(), scores, inputs.get(1)) : scores;
    Value ids = simplify.op(new Op.TopK(router.k()), choosing);
    Value weights = simplify.op(new Op.GetRows(), scores, ids);
    if (router.floor() > 0) {
      Value sum = simplify.op(new Op.Sum(), weights);
      weights =
          simplify.op(
              new Op.Div(),
              weights,
              simplify.op(new Op.Clamp(router.floor(), Double.POSITIVE_INFINITY), sum));
    }
    return List.of(ids, simplify.op(new Op.Scale(router.scale()), weights));
  }

  /**
   * combine of the routed experts alone, then the product of the shared expert with its gate, then
   * the sums from inside out.
   */
  Value combine(Op.Combine combine, List<Value> inputs) {
    List<Value> rest = new ArrayList<>(inputs.subList(2, inputs.size()));
    Value sum = simplify.op(new Op.Combine(false, false, false), inputs.get(0), inputs.get(1));
    if (combine.shared()) {
      Value shared = rest.removeFirst();
      if (combine.gate()) {
        shared = simplify.op(new Op.Mul(), shared, rest.removeFirst());
      }
      sum = simplify.op(new Op.Add(), shared, sum);
    }
    return combine.residual() ? simplify.op(new Op.Add(), rest.removeFirst(), sum) : sum;
  }
}
