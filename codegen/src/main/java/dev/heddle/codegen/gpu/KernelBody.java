package dev.heddle.codegen.gpu;

import static dev.heddle.codegen.gpu.Literals.number;

import dev.heddle.ir.DType;
import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.KernelKind.Count;
import java.util.Map;

/**
 * What a kind's template is rendered with, and the shape of its launch.
 *
 * @param template file in the resource folder {@code body}
 * @param name readable symbol
 * @param count rows of the grid
 * @param gridX blocks in x
 * @param threads threads of a block
 * @param constants defined around the body
 * @param variables of the template
 */
record KernelBody(
    String template,
    String name,
    Count count,
    int gridX,
    int threads,
    Map<String, String> constants,
    Map<String, Object> variables) {
  /** Threads of a block whose threads take one value each. */
  private static final int ELEMENTWISE = 256;

  /** The body of a kind that {@link Refusals} lets pass. */
  static KernelBody of(KernelKind kind) {
    return switch (kind) {
      case KernelKind.EmbedKernel k ->
          elements("embed", "embed_" + k.weight().text() + "_" + k.n(), Count.TOKENS, k.n())
              .with("N", k.n())
              .with("ROW_BYTES", Matrix.rowBytes(k.weight(), k.n()))
              .with("SCALE", number(k.scale()))
              .say(Matrix.variables(k.weight()))
              .build();
      case KernelKind.TakeRowsKernel k ->
          elements("take_rows", "take_rows_" + k.n(), Count.OUT_ROWS, k.n())
              .with("N", k.n())
              .build();
      case KernelKind.RmsNormKernel k ->
          norm("rms_norm", k.count(), k.perRow(), k.n(), k.eps())
              .say("weighted", k.weight())
              .build();
      case KernelKind.L2NormKernel k ->
          norm("l2_norm", k.count(), k.perRow(), k.n(), k.eps()).build();
      case KernelKind.QuantiseKernel k ->
          values("quantise", "quantise", k.count(), k.perRow(), k.n()).build();
      case KernelKind.DequantiseKernel k ->
          values("dequantise", "dequantise", k.count(), k.perRow(), k.n()).build();
      case KernelKind.MatmulKernel k -> Matrix.product(k);
      case KernelKind.UnaryKernel k -> unary(k);
      case KernelKind.BinaryKernel k -> binary(k);
      case KernelKind.GluKernel k -> {
        String act = k.act().name().toLowerCase(java.util.Locale.ROOT);
        yield values("glu", "glu_" + act, k.count(), k.perRow(), k.m())
            .say("activation", act + "_")
            .build();
      }
      case KernelKind.RopeKernel k -> rope(k);
      case KernelKind.KvAppendKernel k -> append(k);
      case KernelKind.AttentionKernel k -> Attention.body(k);
      case KernelKind.SoftmaxKernel k ->
          rows("softmax", "softmax", k.count(), k.perRow(), k.n()).build();
      case KernelKind.ReduceKernel k -> reduce(k);
      case KernelKind.TopKKernel k ->
          rows("top_k", "top_" + k.k() + "_of", Count.TOKENS, 1, k.n())
              .with("COUNT", k.k())
              .build();
      case KernelKind.ArgmaxKernel k -> rows("argmax", "argmax", Count.OUT_ROWS, 1, k.n()).build();
      case KernelKind.GatherKernel k ->
          elements("gather", "gather_" + k.k() + "_of_" + k.n(), Count.TOKENS, k.k())
              .with("N", k.n())
              .with("COUNT", k.k())
              .build();
      case KernelKind.CombineKernel k -> combine(k);
      case KernelKind.SliceKernel k ->
          elements(
                  "slice",
                  "slice_" + k.width() + "_of_" + k.inner(),
                  k.count(),
                  k.outer() * k.width())
              .with("OUTER", k.outer())
              .with("INNER", k.inner())
              .with("FROM", k.from())
              .with("WIDTH", k.width())
              .build();
      case KernelKind.ConcatKernel k ->
          elements("concat", "concat_" + k.a() + "_" + k.b(), k.count(), k.a() + k.b())
              .with("A", k.a())
              .with("B", k.b())
              .build();
      case KernelKind.RouterKernel k -> throw new HeddleBug("no GPU body for " + k);
      case KernelKind.ExpertMatmulKernel k -> throw new HeddleBug("no GPU body for " + k);
    };
  }

  /** A body whose threads take one value of a row each. */
  private static BodyBuilder elements(String template, String name, Count count, int values) {
    int threads = Math.min(ELEMENTWISE, roundUp(values, 32));
    return new BodyBuilder(template, name, count, divideUp(values, threads), threads);
  }

  private static BodyBuilder values(String template, String name, Count count, int perRow, int n) {
    return elements(template, name + "_" + perRow + "x" + n, count, perRow * n)
        .with("VALUES", perRow * n);
  }

  /** A body with a block for each row of n values. */
  private static BodyBuilder rows(String template, String name, Count count, int perRow, int n) {
    int threads = Math.clamp(roundUp(divideUp(n, 4), 32), 32, 1024);
    return new BodyBuilder(
            template, name + "_" + (perRow == 1 ? "" : perRow + "x") + n, count, perRow, threads)
        .with("N", n)
        .with("PER_ROW", perRow)
        .with("WAVES", threads / 32);
  }

  private static BodyBuilder norm(String template, Count count, int perRow, int n, double eps) {
    BodyBuilder body = rows(template, template, count, perRow, n);
    return body.with("PIECES", divideUp(n, body.threads())).with("EPS", number(eps));
  }

  private static KernelBody unary(KernelKind.UnaryKernel k) {
    String name = k.function().name().toLowerCase(java.util.Locale.ROOT);
    String expression =
        switch (k.function()) {
          case SCALE -> number(k.a()) + " * v";
          case CLAMP -> "clamp_(v, " + number(k.a()) + ", " + number(k.b()) + ")";
          case NEG -> "-v";
          case ABS -> "fabs_(v)";
          case EXP -> "exp_(v)";
          case SQRT -> "sqrt_(v)";
          case TANH -> "tanh_(v)";
          case RELU -> "relu_(v)";
          case SIGMOID -> "sigmoid_(v)";
          case SILU -> "silu_(v)";
          case GELU_TANH -> "gelu_tanh_(v)";
          case GELU_ERF -> "gelu_erf_(v)";
          case SOFTPLUS -> "softplus_(v)";
          case SOFTCAP -> number(k.a()) + " * tanh_(v / " + number(k.a()) + ")";
        };
    return elements("unary", name + "_" + k.n(), k.count(), k.n())
        .with("N", k.n())
        .say("expression", expression)
        .build();
  }

  private static KernelBody binary(KernelKind.BinaryKernel k) {
    String operator =
        switch (k.function()) {
          case ADD -> "+";
          case SUB -> "-";
          case MUL -> "*";
          case DIV -> "/";
        };
    String index =
        switch (k.broadcast()) {
          case NONE -> "at";
          case INNER -> "(u64)BLOCK_Y * OUTER + i / INNER";
          case OUTER -> "i % INNER";
          case SCALAR -> "0";
        };
    String broadcast =
        switch (k.broadcast()) {
          case NONE -> "f32[rows, OUTER, INNER]";
          case INNER -> "f32[rows, OUTER]";
          case OUTER -> "f32[INNER]";
          case SCALAR -> "f32[1]";
        };
    String name =
        k.function().name().toLowerCase(java.util.Locale.ROOT) + "_" + k.outer() + "x" + k.inner();
    return elements("binary", name, k.count(), k.outer() * k.inner())
        .with("OUTER", k.outer())
        .with("INNER", k.inner())
        .say("operator", operator)
        .say("index", index)
        .say("broadcast", broadcast)
        .build();
  }

  private static KernelBody rope(KernelKind.RopeKernel k) {
    boolean isAdjacent =
        switch (k.kind()) {
          case NORM -> true;
          case NEOX, IMROPE -> false; // of text: all axes of a position are equal
        };
    int items = k.dims() / 2 + k.d() - k.dims();
    String name =
        "rope_"
            + k.kind().name().toLowerCase(java.util.Locale.ROOT)
            + "_"
            + k.heads()
            + "x"
            + k.d();
    return elements("rope", name, Count.TOKENS, k.heads() * items)
        .with("HEADS", k.heads())
        .with("D", k.d())
        .with("DIMS", k.dims())
        .with("ITEMS", items)
        .say("adjacent", isAdjacent)
        .say("pair", isAdjacent ? "2i, 2i + 1" : "i, i + DIMS / 2")
        .build();
  }

  private static KernelBody append(KernelKind.KvAppendKernel k) {
    boolean isHalf = k.cache() == DType.F16;
    int width = k.heads() * k.d();
    return elements("kv_append", "kv_append_" + k.cache().text() + "_" + width, Count.TOKENS, width)
        .with("WIDTH", width)
        .say("cache", k.cache().text())
        .say("type", isHalf ? "u16" : "f32")
        .say("convert", isHalf ? "f32_to_f16(value)" : "value")
        .build();
  }

  private static KernelBody reduce(KernelKind.ReduceKernel k) {
    boolean isMax = k.function() == KernelKind.Reduce.MAX;
    String name = k.function().name().toLowerCase(java.util.Locale.ROOT);
    return rows("reduce", name, k.count(), k.perRow(), k.n())
        .say("what", name)
        .say("start", isMax ? "NOT_A_NUMBER" : "0.0f")
        .say("step", isMax ? "max_(v, x[row * N + i])" : "v + x[row * N + i]")
        .say("tree", isMax ? "block_max" : "block_sum")
        .say("result", k.function() == KernelKind.Reduce.MEAN ? "v / (f32)N" : "v")
        .build();
  }

  private static KernelBody combine(KernelKind.CombineKernel k) {
    String shared = k.shared() ? k.gate() ? "gate * shared + " : "shared + " : "";
    return elements("combine", "combine_" + k.used() + "x" + k.n(), Count.TOKENS, k.n())
        .with("USED", k.used())
        .with("N", k.n())
        .say("shared", k.shared())
        .say("gated", k.gate())
        .say("residual", k.residual())
        .say("formula", (k.residual() ? "residual + (" : "(") + shared + "sum of w_k y_k)")
        .build();
  }

  static int divideUp(int a, int b) {
    return (a + b - 1) / b;
  }

  static int roundUp(int a, int to) {
    return divideUp(a, to) * to;
  }
}
