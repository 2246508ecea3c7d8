package dev.heddle.compiler.spec;

import dev.heddle.ir.Op;
import dev.heddle.ir.TensorType;
import java.util.ArrayList;
import java.util.List;

/**
 * Products: a weight's scale tensor joins by itself, and a row range of experts is cut from the
 * whole product.
 */
final class Products {
  private Products() {}

  static Val matmul(OpArguments a) {
    ResolvedWeight w = a.weight("w");
    boolean stored = w != null && w.scale() != null && !a.has("scale");
    List<Val.Tensor> inputs = new ArrayList<>(List.of(a.tensor("w"), a.tensor("x")));
    if (a.has("bias")) {
      inputs.add(a.tensor("bias"));
    }
    if (a.has("scale")) {
      inputs.add(a.tensor("scale"));
    } else if (stored) {
      inputs.add(a.tensors().scaleNode(a.span(), w));
    }
    return a.emitAll(new Op.Matmul(a.has("bias"), a.has("scale") || stored), inputs).get(0);
  }

  static Val matmulId(OpArguments a) {
    ResolvedWeight w = a.weight("w");
    boolean cut = w != null && !w.isWhole() && w.ne().size() == 3;
    if (cut && a.has("bias")) {
      throw a.fault(
          "bias", "'matmul_id' takes no bias for a row range of experts ('" + w.tensor() + "')");
    }
    List<Val.Tensor> inputs = new ArrayList<>();
    inputs.add(cut ? whole(a, w) : a.tensor("w"));
    inputs.add(a.tensor("x"));
    inputs.add(a.tensor("ids"));
    Val.Tensor stored =
        w != null && w.scale() != null && !a.has("scale")
            ? a.tensors().scaleNode(a.span(), w)
            : null;
    // One scale for all experts is a factor of the result; one for each expert belongs to the
    // product.
    boolean common = stored != null && stored.type().shape().constants() == 1;
    if (a.has("bias")) {
      if (common) {
        throw a.fault(
            "bias",
            "'matmul_id' takes no bias with one scale for all experts ('" + w.scale() + "')");
      }
      inputs.add(a.tensor("bias"));
    }
    if (a.has("scale")) {
      inputs.add(a.tensor("scale"));
    } else if (stored != null && !common) {
      inputs.add(stored);
    }
    boolean scale = a.has("scale") || stored != null && !common;
    Val.Tensor y =
        a.tensors().sharedEmit(a.span(), new Op.MatmulId(a.has("bias"), scale), inputs, cut);
    y = cut ? a.emit(new Op.Slice(-1, w.rowFrom(), w.rowTo()), y) : y;
    return common ? a.emit(new Op.Mul(), y, stored) : y;
  }

  private static Val.Tensor whole(OpArguments a, ResolvedWeight w) {
    TensorType type =
        TensorType.weight(w.stored(), w.ne().stream().mapToLong(Long::longValue).toArray());
    return a.tensors().weightNode(a.at("w"), w, 0, -1, type);
  }
}
