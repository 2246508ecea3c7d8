package dev.heddle.ir;

import java.util.List;

/** Choice of experts and the sum of their results. */
final class Routing {
  private Routing() {}

  /** Ids and weights; the bias (or null) only chooses. */
  static List<Tensor> router(Precision p, Op.Router op, Tensor.Reals logits, Tensor.Reals bias) {
    int n = logits.dim(-1);
    int[] shape = logits.shape().clone();
    shape[shape.length - 1] = op.k();
    int[] ids = new int[Tensor.size(shape)];
    double[] weights = new double[ids.length];
    for (int row = 0; row < logits.size() / n; row++) {
      double[] scores = scores(p, op.score(), RowOps.rowOf(logits, row));
      double[] selection = scores.clone();
      for (int e = 0; bias != null && e < n; e++) {
        selection[e] = p.round(scores[e] + bias.values()[e]);
      }
      int[] chosen = RowOps.topK(selection, op.k());
      double[] w = new double[op.k()];
      for (int k = 0; k < op.k(); k++) {
        w[k] = scores[chosen[k]];
      }
      // Math.max lets a NaN through: it is visible, not hidden
      double divisor = op.floor() == 0 ? 1 : Math.max(RowOps.sum(p, w), p.round(op.floor()));
      for (int k = 0; k < op.k(); k++) {
        ids[row * op.k() + k] = chosen[k];
        weights[row * op.k() + k] = p.round(p.round(op.scale()) * p.round(w[k] / divisor));
      }
    }
    return List.of(new Tensor.Ints(ids, shape), new Tensor.Reals(weights, shape));
  }

  private static double[] scores(Precision p, Op.Score score, double[] logits) {
    if (score == Op.Score.SOFTMAX) {
      return RowOps.softmax(p, logits);
    }
    double[] scores = new double[logits.length];
    for (int e = 0; e < scores.length; e++) {
      scores[e] =
          switch (score) {
            case SIGMOID -> p.round(Elementwise.sigmoid(logits[e]));
            case SQRT_SOFTPLUS -> p.round(Math.sqrt(p.round(Elementwise.softplus(logits[e]))));
            case IDENTITY, SOFTMAX -> logits[e];
          };
    }
    return scores;
  }

  /**
   * residual + (gate shared + ((w_0 y_0 + w_1 y_1) + ..)); absent terms are null and left out,
   * never added as 0.
   */
  static Tensor.Reals combine(
      Precision p,
      Tensor.Reals y,
      Tensor.Reals w,
      Tensor.Reals shared,
      Tensor.Reals gate,
      Tensor.Reals residual) {
    int used = y.dim(1);
    int n = y.dim(2);
    Tensor.Reals out = Tensor.Reals.zeros(y.dim(0), n);
    for (int t = 0; t < y.dim(0); t++) {
      for (int i = 0; i < n; i++) {
        double sum = p.round(w.values()[t * used] * y.values()[t * used * n + i]);
        for (int k = 1; k < used; k++) {
          sum =
              p.round(sum + p.round(w.values()[t * used + k] * y.values()[(t * used + k) * n + i]));
        }
        if (shared != null) {
          double own = shared.values()[t * n + i];
          sum = p.round((gate == null ? own : p.round(gate.values()[t] * own)) + sum);
        }
        out.values()[t * n + i] =
            residual == null ? sum : p.round(residual.values()[t * n + i] + sum);
      }
    }
    return out;
  }
}
