package dev.heddle.codegen.jvm;

import dev.heddle.ir.DType;
import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.PlanKey.Rows;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * What a kernel kind becomes: the template of its body, the constants of its class, and the
 * variables of its template.
 *
 * @param template name of the Velocity file
 * @param name readable part of the class name
 * @param constants constants of the class, in order
 * @param variables what the template reads besides
 */
record KernelBody(
    String template, String name, Map<String, Object> constants, Map<String, Object> variables) {
  /**
   * Elements of work below which a launch is not worth splitting over threads: a barrier costs
   * microseconds.
   */
  private static final int LEAST_ELEMENTS = 4096;

  private static KernelBody of(String template, String name) {
    return new KernelBody(template, name, new LinkedHashMap<>(), new TreeMap<>());
  }

  private KernelBody set(String name, Object value) {
    constants.put(name, value);
    return this;
  }

  private KernelBody with(String name, Object value) {
    variables.put(name, value);
    return this;
  }

  private KernelBody rows(Count count) {
    return with("rows", count == Count.TOKENS ? "header.tokens" : "header.outRows");
  }

  /** The least number of items, each of {@code elements} values, that is split. */
  private KernelBody least(long elements) {
    return set("LEAST", (int) Math.max(2, LEAST_ELEMENTS / Math.max(1, elements)));
  }

  static KernelBody of(KernelKind kind, VectorText vector) {
    return switch (kind) {
      case KernelKind.EmbedKernel k ->
          weights(of("embed", "Embed" + k.weight()), k.weight(), k.n(), vector)
              .least(k.n())
              .set("SCALE", (float) k.scale())
              .with("factor", k.scale() != 1);
      case KernelKind.TakeRowsKernel k ->
          of("take_rows", "TakeRows" + k.n()).set("N", k.n()).least(k.n());
      case KernelKind.RmsNormKernel k ->
          of("rms_norm", "RmsNorm" + k.n())
              .set("N", k.n())
              .set("PER_ROW", k.perRow())
              .set("EPS", (float) k.eps())
              .least(k.n())
              .rows(k.count())
              .with("weight", k.weight());
      case KernelKind.L2NormKernel k ->
          of("l2_norm", "L2Norm" + k.n())
              .set("N", k.n())
              .set("PER_ROW", k.perRow())
              .set("EPS", (float) k.eps())
              .least(k.n())
              .rows(k.count());
      case KernelKind.QuantiseKernel k ->
          of("quantise", "Quantise" + k.n())
              .set("N", k.n())
              .set("PER_ROW", k.perRow())
              .least(64)
              .rows(k.count());
      case KernelKind.DequantiseKernel k ->
          of("dequantise", "Dequantise" + k.n())
              .set("N", k.n())
              .set("PER_ROW", k.perRow())
              .least(64)
              .rows(k.count());
      case KernelKind.MatmulKernel k -> matmul(k, vector);
      case KernelKind.ExpertMatmulKernel k -> expertMatmul(k, vector);
      case KernelKind.UnaryKernel k ->
          of("unary", camel(k.function().name()) + k.n())
              .set("N", k.n())
              .set("A", (float) k.a())
              .set("B0", (float) k.b())
              .least(16)
              .rows(k.count())
              .with("function", k.function().name());
      case KernelKind.BinaryKernel k ->
          of("binary", camel(k.function().name()) + k.outer() + "x" + k.inner())
              .set("OUTER", k.outer())
              .set("INNER", k.inner())
              .least(k.inner())
              .rows(k.count())
              .with("function", k.function().name())
              .with("broadcast", k.broadcast().name());
      case KernelKind.GluKernel k ->
          of("glu", "Glu" + k.m())
              .set("N", k.m())
              .set("PER_ROW", k.perRow())
              .least(16)
              .rows(k.count())
              .with("function", k.act().name());
      case KernelKind.RopeKernel k ->
          of("rope", "Rope" + k.heads() + "x" + k.d())
              .set("HEADS", k.heads())
              .set("D", k.d())
              .set("DIMS", k.dims())
              .least(k.d())
              .with("kind", k.kind().name());
      case KernelKind.KvAppendKernel k ->
          of("kv_append", "KvAppend" + k.cache() + "_" + k.heads() + "x" + k.d())
              .set("N", k.heads() * k.d())
              .set("ROW_BYTES", k.cache().bytes((long) k.heads() * k.d()))
              .with("cache", cache(k.cache()));
      case KernelKind.AttentionKernel k -> attention(k, vector);
      case KernelKind.SoftmaxKernel k ->
          of("softmax", "Softmax" + k.n())
              .set("N", k.n())
              .set("PER_ROW", k.perRow())
              .least(k.n())
              .rows(k.count())
              .with("n", k.n());
      case KernelKind.ReduceKernel k ->
          of("reduce", "Reduce" + camel(k.function().name()) + k.n())
              .set("N", k.n())
              .set("PER_ROW", k.perRow())
              .least(k.n())
              .rows(k.count())
              .with("n", k.n())
              .with("function", k.function().name());
      case KernelKind.TopKKernel k ->
          of("top_k", "TopK" + k.k() + "of" + k.n()).set("N", k.n()).set("K", k.k()).least(k.n());
      case KernelKind.RouterKernel k ->
          of("router", "Router" + k.k() + "of" + k.n())
              .set("N", k.n())
              .set("K", k.k())
              .set("FLOOR", (float) k.floor())
              .set("FACTOR", (float) k.scale())
              .least(k.n())
              .with("n", k.n())
              .with("score", k.score().name())
              .with("bias", k.bias())
              .with("divides", k.floor() > 0)
              .with("scales", k.scale() != 1);
      case KernelKind.GatherKernel k ->
          of("gather", "Gather" + k.k() + "of" + k.n()).set("N", k.n()).set("K", k.k()).least(1);
      case KernelKind.CombineKernel k ->
          of("combine", "Combine" + k.used() + "x" + k.n())
              .set("USED", k.used())
              .set("N", k.n())
              .with("shared", k.shared())
              .with("gate", k.gate())
              .with("residual", k.residual());
      case KernelKind.ArgmaxKernel k -> of("argmax", "Argmax" + k.n()).set("N", k.n());
      case KernelKind.SliceKernel k ->
          of("slice", "Slice" + k.width() + "of" + k.inner())
              .set("OUTER", k.outer())
              .set("INNER", k.inner())
              .set("FROM", k.from())
              .set("WIDTH", k.width())
              .least(k.width())
              .rows(k.count());
      case KernelKind.ConcatKernel k ->
          of("concat", "Concat" + k.a() + "and" + k.b())
              .set("A", k.a())
              .set("B0", k.b())
              .least((long) k.a() + k.b())
              .rows(k.count());
    };
  }

  private static String camel(String constant) {
    var name = new StringBuilder();
    for (String word : constant.split("_")) {
      name.append(word.charAt(0)).append(word.substring(1).toLowerCase(java.util.Locale.ROOT));
    }
    return name.toString();
  }

  private static KernelBody matmul(KernelKind.MatmulKernel k, VectorText vector) {
    boolean int8 = k.input() == DType.Q8_1;
    boolean step = k.rows() == Rows.STEP;
    var body =
        of(
            step ? int8 ? "matmul_step_int8" : "matmul_step" : "matmul_prompt",
            "Matmul"
                + camel(k.rows().name())
                + k.weight()
                + (int8 ? "int8" : "")
                + "_"
                + k.k()
                + "x"
                + k.m());
    body.set("M", k.m()).rows(k.count()).with("bias", k.bias()).with("scale", k.scale());
    return product(body, step, int8, k.weight(), k.k(), vector).with("divide", 1);
  }

  private static KernelBody expertMatmul(KernelKind.ExpertMatmulKernel k, VectorText vector) {
    boolean int8 = k.input() == DType.Q8_1;
    boolean step = k.rows() == Rows.STEP;
    var body =
        of(
            step ? int8 ? "expert_matmul_step_int8" : "expert_matmul_step" : "expert_matmul_prompt",
            "Expert"
                + camel(k.rows().name())
                + k.weight()
                + (int8 ? "int8" : "")
                + "_"
                + k.k()
                + "x"
                + k.m());
    body.set("M", k.m())
        .set("EXPERTS", k.experts())
        .set("USED", k.used())
        .with("bias", k.bias())
        .with("scale", k.scale());
    return product(body, step, int8, k.weight(), k.k(), vector)
        .with("perExpertInput", k.perExpertInput())
        .with("divide", k.perExpertInput() ? 1 : k.used());
  }

  private static KernelBody product(
      KernelBody body, boolean step, boolean int8, DType weight, int k, VectorText vector) {
    weights(body, weight, k, vector);
    var form = WeightForm.of(weight);
    if (!step) {
      return body.set("WIDE", 2 * vector.lanes())
          .set("ROWS", 32)
          .set("DEPTH", 256)
          .set("INPUT_BYTES", (int8 ? DType.Q8_1 : DType.F32).bytes(k))
          .with("high", 4)
          .with("wide", 2)
          .with("quantisedInput", int8);
    }
    return body.set("GROUPS", k / (int8 ? 32 : form.groupValues()))
        .set("GROUP", form.groupValues())
        .set("LEAST", Math.max(2, 4 * LEAST_ELEMENTS / k))
        .with("columnTiles", columnTiles(weight, int8))
        .with(
            "oddBlocks", body.constants.get("BLOCKS") instanceof Integer blocks && blocks % 2 == 1);
  }

  /**
   * How many columns share a row's unpacked weights. C2 gives up on vector code beyond some 10^4
   * nodes a method and then boxes every vector, so types with much unpacking take fewer columns at
   * a time.
   */
  private static List<Integer> columnTiles(DType weight, boolean int8) {
    return switch (weight) {
      case F32, F16, BF16, Q8_0 -> List.of(4, 2, 1);
      case Q4_0 -> int8 ? List.of(2, 1) : List.of(4, 2, 1);
      default -> List.of(2, 1);
    };
  }

  /** Constants and variables of a weight type with rows of {@code k} values. */
  private static KernelBody weights(KernelBody body, DType weight, int k, VectorText vector) {
    var form = WeightForm.of(weight);
    int tail = k % form.block();
    if (tail != 0 && !form.plain()) {
      throw new HeddleBug("a row of " + k + " values is not whole blocks of " + weight.text());
    }
    return body.set("K", k)
        .set("BLOCK", form.block())
        .set("BLOCKS", k / form.block())
        .set("BLOCK_BYTES", form.blockBytes())
        .set("INNER", form.inner())
        .set("ROW_BYTES", weight.bytes(k))
        .with("form", form)
        .with("tail", tail)
        .with("stored", tail == 0 ? vector.storedLanes() : 16);
  }

  private static KernelBody attention(KernelKind.AttentionKernel k, VectorText vector) {
    int group = k.heads() / k.kvHeads();
    int tile = group % 4 == 0 ? 4 : group % 3 == 0 ? 3 : group % 2 == 0 ? 2 : 1;
    var body = of("attention", "Attention" + k.cacheK() + "_" + k.heads() + "x" + k.d());
    body.set("HEADS", k.heads())
        .set("KV_HEADS", k.kvHeads())
        .set("GROUP", group)
        .set("D", k.d())
        .set("DV", k.dv());
    body.set("SCALE", (float) k.scale());
    body.set("KEY_BYTES", k.cacheK().bytes((long) k.kvHeads() * k.d()))
        .set("VALUE_BYTES", k.cacheV().bytes((long) k.kvHeads() * k.dv()));
    int at = group * k.d();
    body.set("SCORES", at)
        .set("O", at += group * 32)
        .set("MOST", at += group * k.dv())
        .set("SUM", at += group);
    body.set("KEYS", at += group).set("VALUES", at += 32 * k.d()).set("WORK", at + 32 * k.dv());
    int tail = k.d() % 16;
    return body.with("cacheK", cache(k.cacheK()))
        .with("cacheV", cache(k.cacheV()))
        .with("groupTile", tile)
        .with("groupTiles", IntStream.range(0, group / tile).mapToObj(i -> i * tile).toList())
        .with("dTail", tail)
        .with("stored", tail == 0 ? vector.storedLanes() : 16)
        .with("wholeK", k.d() % 32 == 0)
        .with("wholeV", k.dv() % 32 == 0);
  }

  private static String cache(DType type) {
    return switch (type) {
      case F32, F16, BF16, Q8_0 -> type.name();
      default ->
          throw new HeddleBug(
              "no jvm kernel keeps a cache of "
                  + type.text()
                  + "; the target does not list the type");
    };
  }
}
