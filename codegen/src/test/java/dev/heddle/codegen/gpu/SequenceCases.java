package dev.heddle.codegen.gpu;

import dev.heddle.ir.DType;
import dev.heddle.ir.Op;
import dev.heddle.ir.plan.KernelKind.AttentionKernel;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.KernelKind.KvAppendKernel;
import dev.heddle.ir.plan.KernelKind.RopeKernel;
import dev.heddle.ir.plan.PlanKey.Rows;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** What depends on positions: rope, caches, attention over scattered blocks. */
final class SequenceCases {
  private SequenceCases() {}

  static void addTo(Cases cases) {
    rope(cases, Op.RopeKind.NORM, 3, 24, 16);
    rope(cases, Op.RopeKind.NEOX, 5, 64, 64);
    rope(cases, Op.RopeKind.IMROPE, 2, 24, 8);
    append(cases, DType.F32, 2, 40);
    append(cases, DType.F16, 3, 16);
    attention(cases, DType.F32, DType.F32, 2, 2, 16, 16);
    attention(cases, DType.F16, DType.F16, 8, 2, 128, 128);
    attention(cases, DType.F32, DType.F32, 4, 1, 64, 64);
    attention(cases, DType.F16, DType.F32, 6, 2, 12, 20);
    attention(cases, DType.F16, DType.F16, 5, 1, 256, 256);
    attention(cases, DType.F16, DType.F16, 3, 1, 96, 96);
  }

  private static int pool(Cases cases) {
    int blocks = 0;
    for (int[] table : cases.step.tables()) {
      blocks += table.length;
    }
    return blocks;
  }

  /** Index of a position's row in the pool. */
  private static int row(Cases cases, int token, int position) {
    return cases.step.tables()[cases.step.slots()[token]][position / 32] * 32 + position % 32;
  }

  private static void rope(Cases cases, Op.RopeKind kind, int heads, int d, int dims) {
    float[] x = cases.floats(cases.key.tokens() * heads * d);
    float[] table = cases.floats((cases.step.tables()[0].length * 32) * dims);
    boolean isAdjacent = kind == Op.RopeKind.NORM;
    cases.floats(
        "rope " + kind,
        new RopeKernel(kind, heads, d, dims),
        Count.TOKENS,
        heads * d,
        1e-6,
        i -> {
          int c = i % d;
          if (c >= dims) {
            return x[i];
          }
          int pair = isAdjacent ? c / 2 : c % (dims / 2);
          boolean isFirst = isAdjacent ? c % 2 == 0 : c < dims / 2;
          int distance = isAdjacent ? 1 : dims / 2;
          int at = (cases.step.positions()[i / (heads * d)] * (dims / 2) + pair) * 2;
          double cos = table[at];
          double sin = table[at + 1];
          return isFirst ? x[i] * cos - x[i + distance] * sin : x[i - distance] * sin + x[i] * cos;
        },
        Data.bytes(x),
        Data.bytes(table));
  }

  private static void append(Cases cases, DType type, int heads, int d) {
    int width = heads * d;
    float[] before = cases.floats(pool(cases) * 32 * width);
    float[] after = before.clone();
    float[] x = cases.floats(cases.key.tokens() * width);
    for (int t = 0; t < cases.step.ids().length; t++) {
      System.arraycopy(
          x, t * width, after, row(cases, t, cases.step.positions()[t]) * width, width);
    }
    boolean isHalf = type == DType.F16;
    cases.bytes(
        "kv_append " + type.text(),
        new KvAppendKernel(type, heads, d),
        isHalf ? Data.halves(before) : Data.bytes(before),
        isHalf ? Data.halves(after) : Data.bytes(after),
        Data.bytes(x));
  }

  private static void attention(
      Cases cases, DType kType, DType vType, int heads, int kvHeads, int d, int dv) {
    float[] q = cases.floats(cases.key.tokens() * heads * d);
    byte[] k = cache(cases, kType, kvHeads * d);
    byte[] v = cache(cases, vType, kvHeads * dv);
    double scale = 1.5 / Math.sqrt(d);
    var kind = new AttentionKernel(Rows.STEP, kType, vType, heads, kvHeads, d, dv, scale);
    double[] expected = new double[cases.rows(Count.TOKENS) * heads * dv];
    for (int t = 0; t < cases.rows(Count.TOKENS); t++) {
      for (int h = 0; h < heads; h++) {
        int shared = h / (heads / kvHeads);
        int positions = cases.step.positions()[t] + 1;
        double[] weights = new double[positions];
        double most = Double.NEGATIVE_INFINITY;
        for (int j = 0; j < positions; j++) {
          int row = row(cases, t, j) * kvHeads + shared;
          for (int e = 0; e < d; e++) {
            weights[j] += scale * q[(t * heads + h) * d + e] * value(k, kType, row * d + e);
          }
          most = Math.max(most, weights[j]);
        }
        double total = 0;
        for (int j = 0; j < positions; j++) {
          weights[j] = Math.exp(weights[j] - most);
          total += weights[j];
        }
        for (int j = 0; j < positions; j++) {
          int row = row(cases, t, j) * kvHeads + shared;
          for (int c = 0; c < dv; c++) {
            expected[(t * heads + h) * dv + c] +=
                weights[j] / total * value(v, vType, row * dv + c);
          }
        }
      }
    }
    cases.floats(
        "attention " + kType.text() + " " + vType.text() + " " + heads + "x" + d,
        kind,
        Count.TOKENS,
        heads * dv,
        3e-6,
        i -> expected[i],
        Data.bytes(q),
        k,
        v);
  }

  /** A pool whose rows of later positions hold NaN: they must not be read. */
  private static byte[] cache(Cases cases, DType type, int width) {
    float[] values = new float[pool(cases) * 32 * width];
    java.util.Arrays.fill(values, Float.NaN);
    for (int t = 0; t < cases.step.ids().length; t++) {
      for (int j = 0; j <= cases.step.positions()[t]; j++) {
        System.arraycopy(cases.floats(width), 0, values, row(cases, t, j) * width, width);
      }
    }
    return type == DType.F16 ? Data.halves(values) : Data.bytes(values);
  }

  private static double value(byte[] cache, DType type, int i) {
    ByteBuffer bytes = ByteBuffer.wrap(cache).order(ByteOrder.LITTLE_ENDIAN);
    return type == DType.F16 ? Float.float16ToFloat(bytes.getShort(2 * i)) : bytes.getFloat(4 * i);
  }
}
