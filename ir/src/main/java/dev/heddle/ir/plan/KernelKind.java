package dev.heddle.ir.plan;

import dev.heddle.ir.DType;
import dev.heddle.ir.Op;
import dev.heddle.ir.plan.PlanKey.Rows;
import java.util.Locale;

/**
 * The contract between plans and targets: what a kernel computes, with every dimension, type and
 * tile as a constant. T (tokens) and R (output rows) of a step are read from its header. Arguments
 * are listed beside each record, outputs first.
 *
 * <p>Rows of activations are dense. q8_1 rows are {@link DType#Q8_1}: 40 bytes for 32 values.
 */
public sealed interface KernelKind {
  /**
   * The kind's name in reports: the record's name in snake case without "kernel" ({@code
   * expert_matmul}).
   */
  default String text() {
    String name = getClass().getSimpleName().replaceFirst("Kernel$", "");
    return name.replaceAll("(?<=[a-z0-9])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
  }

  /** Rows that a kernel walks: the step's tokens T, or its requested output rows R. */
  enum Count {
    TOKENS,
    OUT_ROWS
  }

  /** y f32[T, n] = scale * row ids[t] of W. Args: y, W{n, vocab}. */
  record EmbedKernel(DType weight, int n, long vocab, double scale) implements KernelKind {}

  /** y[r] = x[out_rows[r]]. Args: y f32[R, n], x f32[T, n]. */
  record TakeRowsKernel(int n) implements KernelKind {}

  /** y[rows * perRow, n] = rms_norm of each row. Args: y, x, w (absent if not weighted). */
  record RmsNormKernel(Count count, int perRow, int n, double eps, boolean weight)
      implements KernelKind {}

  /** y[rows, n] = x / sqrt(sum x^2 + eps). Args: y, x. */
  record L2NormKernel(Count count, int perRow, int n, double eps) implements KernelKind {}

  /** y q8_1[rows * perRow, n] = quantise(x). Args: y, x. */
  record QuantiseKernel(Count count, int perRow, int n) implements KernelKind {}

  /** y f32[rows * perRow, n] = dequantise(x). Args: y, x. */
  record DequantiseKernel(Count count, int perRow, int n) implements KernelKind {}

  /**
   * y f32[rows, m] = W x (+ bias) (* scale). Args: y, W{k, m}, x (f32 or q8_1 [rows, k]), bias {m}
   * if bias, scale {1} if scale. STEP: split of K fixed for any number of rows; PROMPT: tiles.
   */
  record MatmulKernel(
      Rows rows, Count count, DType weight, DType input, int k, int m, boolean bias, boolean scale)
      implements KernelKind {}

  /**
   * y f32[T, used, m]: expert ids[t, u] times x[t] (perExpertInput false) or x[t, u] (true). Args:
   * y, W{k, m, experts}, x, ids i32[T, used], bias {m, experts} if bias, scale {experts} if scale.
   */
  record ExpertMatmulKernel(
      Rows rows,
      DType weight,
      DType input,
      int k,
      int m,
      int experts,
      int used,
      boolean perExpertInput,
      boolean bias,
      boolean scale)
      implements KernelKind {}

  /**
   * Elementwise function of one input: y, x f32[rows, n]. {@code a}, {@code b}: constants of scale,
   * clamp, softcap.
   */
  record UnaryKernel(Count count, int n, Unary function, double a, double b)
      implements KernelKind {}

  /** Functions of {@link UnaryKernel}. */
  enum Unary {
    SCALE,
    CLAMP,
    NEG,
    ABS,
    EXP,
    SQRT,
    TANH,
    RELU,
    SIGMOID,
    SILU,
    GELU_TANH,
    GELU_ERF,
    SOFTPLUS,
    SOFTCAP
  }

  /**
   * Elementwise function of two: y, x f32[rows * outer, inner], z. {@code broadcast}: how z is
   * read. Args: y, x, z.
   */
  record BinaryKernel(Count count, int outer, int inner, Binary function, Broadcast broadcast)
      implements KernelKind {}

  /** Functions of {@link BinaryKernel}. */
  enum Binary {
    ADD,
    SUB,
    MUL,
    DIV
  }

  /** Shape of the second operand of {@link BinaryKernel}. */
  enum Broadcast {
    /** [rows, outer, inner], the same shape. */
    NONE,
    /** [rows, outer, 1]: one value an inner row. */
    INNER,
    /** {inner}: one row for all (a weight). */
    OUTER,
    /** [1]. */
    SCALAR
  }

  /** y[rows, m] = act(gate) * up. Args: y, gate f32[rows * perRow, m], up. */
  record GluKernel(Count count, int perRow, int m, Op.Act act) implements KernelKind {}

  /** y f32[T, heads, d]: rotated x. Args: y, x, table. */
  record RopeKernel(Op.RopeKind kind, int heads, int d, int dims) implements KernelKind {}

  /** Appends x f32[T, heads, d] to a paged cache. Args: state, x. */
  record KvAppendKernel(DType cache, int heads, int d) implements KernelKind {}

  /** y f32[T, heads, dv]. Args: y, q f32[T, heads, d], k state, v state. Causal. */
  record AttentionKernel(
      Rows rows, DType cacheK, DType cacheV, int heads, int kvHeads, int d, int dv, double scale)
      implements KernelKind {}

  /** y f32[rows * perRow, n]. Args: y, x. */
  record SoftmaxKernel(Count count, int perRow, int n) implements KernelKind {}

  /** y f32[rows * perRow, 1]. Args: y, x. */
  record ReduceKernel(Count count, int perRow, int n, Reduce function) implements KernelKind {}

  /** Functions of {@link ReduceKernel}. */
  enum Reduce {
    SUM,
    MAX,
    MEAN
  }

  /** ids i32[T, k]. Args: ids, x f32[T, n]. */
  record TopKKernel(int n, int k) implements KernelKind {}

  /**
   * Scores of n experts, the k best (after adding the bias, if there), their weights: scores
   * divided by the larger of their sum and {@code floor} (0: not divided), times {@code scale}.
   * Args: ids i32[T, k], weights f32[T, k], logits f32[T, n], bias {n} if bias.
   */
  record RouterKernel(Op.Score score, int n, int k, double floor, double scale, boolean bias)
      implements KernelKind {}

  /** y f32[T, k] = x[t, ids[t, j]]. Args: y, x f32[T, n], ids i32[T, k]. */
  record GatherKernel(int n, int k) implements KernelKind {}

  /**
   * residual + (gate * shared + sum over k in order of w_k y_k). Args: out f32[T, n], y f32[T,
   * used, n], w f32[T, used], then shared, gate [T, 1], residual as present.
   */
  record CombineKernel(int used, int n, boolean shared, boolean gate, boolean residual)
      implements KernelKind {}

  /** ids i32[R]. Args: ids, x f32[R, n]. */
  record ArgmaxKernel(int n) implements KernelKind {}

  /**
   * y[rows, width] = columns from .. of x[rows * outer, inner..]: copy of a slice that no reader
   * could take in place. Args: y, x.
   */
  record SliceKernel(Count count, int outer, int inner, int from, int width)
      implements KernelKind {}

  /** y[rows, a + b] = [x, z] along the innermost dimension. Args: y, x, z. */
  record ConcatKernel(Count count, int a, int b) implements KernelKind {}
}
