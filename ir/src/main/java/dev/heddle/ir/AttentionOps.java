package dev.heddle.ir;

import dev.heddle.ir.plan.RopeAngles;
import dev.heddle.ir.plan.RopeTable;
import java.util.Arrays;

/** Rope, caches and attention. */
final class AttentionOps {
  private AttentionOps() {}

  /**
   * Rotates the first {@code dims} of each head; factors may be null. Sections give one position to
   * all pairs of text.
   */
  static Tensor.Reals rope(
      Precision p, Op.Rope op, Tensor.Reals x, Tensor.Ints pos, Tensor.Reals factors) {
    RopeTable table = new RopeTable(op.dims(), op.base(), op.scaling(), "");
    float[] angles = new float[RopeAngles.rowFloats(table)];
    int n = x.dim(2);
    Tensor.Reals y = new Tensor.Reals(x.values().clone(), x.shape());
    for (int t = 0; t < x.dim(0); t++) {
      RopeAngles.fill(
          table, factors == null ? null : factors.toFloats(), pos.values()[t], 1, angles, 0);
      for (int h = 0; h < x.dim(1); h++) {
        int head = (t * x.dim(1) + h) * n;
        for (int i = 0; i < op.dims() / 2; i++) {
          int first = head + (op.kind() == Op.RopeKind.NORM ? 2 * i : i);
          int second = op.kind() == Op.RopeKind.NORM ? first + 1 : first + op.dims() / 2;
          double x0 = x.values()[first];
          double x1 = x.values()[second];
          double cos = angles[2 * i];
          double sin = angles[2 * i + 1];
          y.values()[first] = p.round(p.round(x0 * cos) - p.round(x1 * sin));
          y.values()[second] = p.round(p.round(x0 * sin) + p.round(x1 * cos));
        }
      }
    }
    return y;
  }

  static Tensor.Cache append(
      StepInput step, Tensor.Cache state, Tensor.Reals rows, Tensor.Ints pos) {
    int n = Tensor.size(state.shape());
    for (int t = 0; t < rows.dim(0); t++) {
      double[] row = Arrays.copyOfRange(rows.values(), t * n, t * n + n);
      step.sequenceOf(t).append(state.name(), state.type().dtype(), pos.values()[t], row);
    }
    return state;
  }

  /** Token t sees positions 0 .. pos[t] of its own sequence; other rows are not read. */
  static Tensor.Reals attention(
      Precision p,
      double scale,
      StepInput step,
      Tensor.Reals q,
      Tensor.Cache k,
      Tensor.Cache v,
      Tensor.Ints pos) {
    int heads = q.dim(1);
    int d = q.dim(2);
    int dv = v.shape()[1];
    int group = heads / k.shape()[0];
    Tensor.Reals out = Tensor.Reals.zeros(q.dim(0), heads, dv);
    for (int t = 0; t < q.dim(0); t++) {
      SequenceState sequence = step.sequenceOf(t);
      int visible = pos.values()[t] + 1;
      for (int h = 0; h < heads; h++) {
        double[] scores = new double[visible];
        for (int j = 0; j < visible; j++) {
          double dot =
              Products.dot(
                  p, q.values(), (t * heads + h) * d, sequence.view(k.name(), j), h / group * d, d);
          scores[j] = p.round(p.round(scale) * dot);
        }
        double[] row = weightedSum(p, scores, sequence, v.name(), h / group * dv, dv);
        System.arraycopy(row, 0, out.values(), (t * heads + h) * dv, dv);
      }
    }
    return out;
  }

  /** sum_j e^(s_j - m) v_j / sum_j e^(s_j - m); zeros if no score is above -inf. */
  private static double[] weightedSum(
      Precision p, double[] scores, SequenceState sequence, String v, int from, int dv) {
    double most = RowOps.max(scores);
    double[] out = new double[dv];
    double sum = 0;
    for (int j = 0; j < scores.length; j++) {
      if (scores[j] == Double.NEGATIVE_INFINITY) {
        continue; // weight exactly 0: v_j is not read
      }
      double e = p.round(Math.exp(p.round(scores[j] - most)));
      sum = p.round(sum + e);
      double[] row = sequence.view(v, j);
      for (int i = 0; i < dv; i++) {
        out[i] = p.round(out[i] + p.round(e * row[from + i]));
      }
    }
    for (int i = 0; sum != 0 && i < dv; i++) {
      out[i] = p.round(out[i] / sum);
    }
    return out;
  }
}
