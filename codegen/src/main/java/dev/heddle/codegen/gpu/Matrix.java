package dev.heddle.codegen.gpu;

import dev.heddle.ir.DType;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.abi.PlanarRows;
import java.util.Map;

/** Layout of weights, and shapes of products with them. */
final class Matrix {
  /**
   * Pieces of a row that a thread should have: with fewer, another wave would only add to the last
   * sums.
   */
  private static final int PIECES = 2;

  private static final int MOST_WAVES = 4;

  private Matrix() {}

  static long rowBytes(DType weight, int k) {
    return weight == DType.Q8_0 ? PlanarRows.rowBytes(k) : weight.bytes(k);
  }

  /** How a template names the layout. */
  static Map<String, Object> variables(DType weight) {
    boolean isPlanar = weight == DType.Q8_0;
    return Map.of(
        "weight",
        weight.text(),
        "planar",
        isPlanar,
        "layout",
        isPlanar ? "K i8, then K/32 f16 scales, to a multiple of 16" : "K f32");
  }

  /**
   * A product. How many waves share a row depends on K alone: it is part of the order of sums. Rows
   * a block is not.
   */
  static KernelBody product(KernelKind.MatmulKernel k) {
    boolean isInt8 = k.input() == DType.Q8_1;
    int piece = isInt8 ? 16 : k.k() % 4 == 0 ? 4 : 1;
    int waves = Math.clamp(k.k() / piece / (32 * PIECES), 1, MOST_WAVES);
    int rows = isInt8 || k.m() < 2048 ? 2 : 4;
    String template = isInt8 ? "matmul_int8" : "matmul";
    String name = template + "_" + k.weight().text() + "_" + k.k() + "x" + k.m();
    return new BodyBuilder(template, name, k.count(), KernelBody.divideUp(k.m(), rows), waves * 32)
        .with("K", k.k())
        .with("M", k.m())
        .with("ROW_BYTES", rowBytes(k.weight(), k.k()))
        .with("ROWS", rows)
        .with("WAVES", waves)
        .say(variables(k.weight()))
        .say("piece", piece)
        .say("bias", k.bias())
        .say("scaled", k.scale())
        .build();
  }
}
