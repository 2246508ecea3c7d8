package dev.heddle.ir;

import java.util.List;

/**
 * The op vocabulary (arch/ops.md): one record an op, typed attributes only. The name in text form
 * is the record's name in snake case ({@code RmsNorm} = {@code rms_norm}), attributes are the
 * record's components.
 *
 * <p>Inputs are positional, given beside each record. An optional input is announced by a boolean
 * attribute and follows the required ones in the order of those attributes.
 */
public sealed interface Op {
  /** The name in text form and in messages: the record's name in snake case ({@code rms_norm}). */
  default String text() {
    return OpSchema.snakeCase(getClass().getSimpleName());
  }

  // ---- leaves
  // -------------------------------------------------------------------------------------------------------------

  /** What a step brings: token ids, positions, sequence slots, requested rows. */
  enum InputKind {
    IDS,
    POS,
    SEQ,
    OUT_ROWS
  }

  /** How a state is undone (arch/ops.md 3). */
  enum Rollback {
    APPEND,
    WINDOW,
    SNAPSHOT
  }

  /** () -> i32[T], or i32[R] for out_rows. */
  record Input(InputKind kind) implements Op {}

  /**
   * () -> weight. {@code tensor} is the GGUF tensor; rows {@code rowFrom} (inclusive) to {@code
   * rowTo} (exclusive) of its second dimension are taken; {@code rowTo} -1 means all.
   */
  record Weight(String tensor, long rowFrom, long rowTo) implements Op {
    /** A whole tensor. */
    public static Weight whole(String tensor) {
      return new Weight(tensor, 0, -1);
    }
  }

  /** () -> a state's first version in the step. Type: rows [C, ..] of the state's element type. */
  record State(String name, Rollback rollback) implements Op {}

  /** () -> f32[1]. */
  record Constant(double value) implements Op {}

  // ---- gathers
  // ------------------------------------------------------------------------------------------------------------

  /** (W {n, V}, ids i32[T]) -> f32[T, n], times scale. */
  record Embed(double scale) implements Op {}

  /** (x [.., m, n], idx i32[.., k]) -> [.., k, n]; a 2-d x [T, m] gathers single values: [T, k]. */
  record GetRows() implements Op {}

  /** (x [T, n], out_rows i32[R]) -> [R, n]. */
  record TakeRows() implements Op {}

  // ---- products
  // -----------------------------------------------------------------------------------------------------------

  /** (W {n, m}, x [T, n], bias {m}?, scale {1}?) -> f32[T, m]. x is f32 or q8_1. */
  record Matmul(boolean bias, boolean scale) implements Op {}

  /**
   * (W {n, m, N}, x [T, n] or [T, K, n], ids i32[T, K], bias {m, N}?, scale {N}?) -> f32[T, K, m].
   * x is f32 or q8_1.
   */
  record MatmulId(boolean bias, boolean scale) implements Op {}

  /** (W {n, m, G}, x [T, G, n]) -> f32[T, G, m]. */
  record MatmulGrouped() implements Op {}

  // ---- elementwise
  // --------------------------------------------------------------------------------------------------------

  /** (x, y) -> x + y; y equal or broadcast (dims 1 or equal, aligned at the innermost). */
  record Add() implements Op {}

  record Sub() implements Op {}

  record Mul() implements Op {}

  record Div() implements Op {}

  /** c x. */
  record Scale(double c) implements Op {}

  /** NaN stays NaN; infinite bounds mean none. */
  record Clamp(double min, double max) implements Op {}

  record Neg() implements Op {}

  record Abs() implements Op {}

  record Exp() implements Op {}

  record Sqrt() implements Op {}

  record Tanh() implements Op {}

  record Relu() implements Op {}

  record Sigmoid() implements Op {}

  record Silu() implements Op {}

  record GeluTanh() implements Op {}

  record GeluErf() implements Op {}

  record Softplus() implements Op {}

  /** c tanh(x / c). */
  record Softcap(double c) implements Op {}

  /** Activation of a gated linear unit. */
  enum Act {
    SILU,
    GELU_TANH,
    GELU_ERF,
    RELU
  }

  /** (gate [.., m], up [.., m]) -> act(gate) up. */
  record Glu(Act act) implements Op {}

  // ---- norms
  // --------------------------------------------------------------------------------------------------------------

  /** (x [.., n], w {n}?) -> x rsqrt(mean x^2 + eps) w, over the innermost dimension. */
  record RmsNorm(double eps, boolean weight) implements Op {}

  /** (x [.., n]) -> x / sqrt(sum x^2 + eps). */
  record L2Norm(double eps) implements Op {}

  // ---- rope
  // ---------------------------------------------------------------------------------------------------------------

  /** Pairing: NORM (2i, 2i+1); NEOX and IMROPE (i, i + R/2). */
  enum RopeKind {
    NORM,
    NEOX,
    IMROPE
  }

  /** Scaling of angles (arch/qwen.md 1.4). */
  sealed interface RopeScaling {
    record None() implements RopeScaling {}

    record Linear(double factor) implements RopeScaling {}

    /** {@code attnFactor} multiplies the magnitude 1 + 0.1 ln factor. */
    record Yarn(
        double factor, double originalContext, double attnFactor, double betaFast, double betaSlow)
        implements RopeScaling {}
  }

  /**
   * (x [T, H, n], pos i32[T], factors f32{dims/2}?) -> [T, H, n]. Rotates the first {@code dims}
   * values; {@code sections} is empty or four numbers (IMROPE).
   */
  record Rope(
      RopeKind kind,
      int dims,
      double base,
      RopeScaling scaling,
      List<Integer> sections,
      boolean factors)
      implements Op {
    public Rope {
      sections = List.copyOf(sections);
    }
  }

  // ---- caches and attention
  // -----------------------------------------------------------------------------------------------

  /**
   * (s [C, H, D], row [T, H, D], pos i32[T]) -> s' [C, H, D]; rows are converted to the state's
   * element type.
   */
  record KvAppend() implements Op {}

  /** (q [T, H, D], k [C, Hkv, D], v [C, Hkv, Dv], pos i32[T]) -> f32[T, H, Dv], causal. */
  record Attention(double scale) implements Op {}

  // ---- routing
  // ------------------------------------------------------------------------------------------------------------

  /** Score function of a router. */
  enum Score {
    SOFTMAX,
    SIGMOID,
    SQRT_SOFTPLUS,
    IDENTITY
  }

  /**
   * (logits f32[T, N], bias {N}?) -> ids i32[T, k], weights f32[T, k] (arch/ops.md 4). {@code
   * floor} 0 = no renormalisation. Canonicalise expands it into primitives.
   */
  record Router(Score score, int k, double floor, double scale, boolean bias) implements Op {}

  /**
   * (y f32[T, K, n], w f32[T, K], shared [T, n]?, gate [T, 1]?, residual [T, n]?) -> f32[T, n] =
   * residual + (gate shared + sum_k w_k y_k), the sum in rank order. Gate is already activated.
   */
  record Combine(boolean shared, boolean gate, boolean residual) implements Op {}

  // ---- reductions, outputs
  // ------------------------------------------------------------------------------------------------

  /** Over the innermost dimension, which becomes 1. */
  record Sum() implements Op {}

  record Max() implements Op {}

  record Mean() implements Op {}

  /** Over the innermost dimension. */
  record Softmax() implements Op {}

  /** (x [.., n]) -> ids i32[.., k]: value descending, then index ascending; NaN last. */
  record TopK(int k) implements Op {}

  /** (x [R, V]) -> i32[R]: the lowest index among equals. */
  record Argmax() implements Op {}

  /** (x) -> x, a named value that leaves the graph when a compile asks for it. */
  record Capture(String name) implements Op {}

  // ---- layout: no kernel, folded into edges by lowering
  // ---------------------------------------------------------------------

  /**
   * (x) -> the same values under another shape; -1 stands for nothing: all dims are given, T and R
   * stay in place.
   */
  record Reshape(Shape shape) implements Op {}

  /**
   * (x) -> columns from (inclusive) to to (exclusive) of dimension dim (negative: from the end).
   */
  record Slice(int dim, long from, long to) implements Op {}

  /** (x, y, ..) -> joined along dim (negative: from the end). */
  record Concat(int dim) implements Op {}

  // ---- only passes create
  // ---------------------------------------------------------------------------------------------------

  /**
   * (x f32[.., n]) -> q8_1[.., n]: d = max|x| / 127, q = round half away from zero of x / d, s = d
   * sum q, blocks of 32.
   */
  record Quantise() implements Op {}

  /** (x) -> f32 of the same shape. */
  record Dequantise() implements Op {}
}
