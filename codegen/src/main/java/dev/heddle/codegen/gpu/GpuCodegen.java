package dev.heddle.codegen.gpu;

import dev.heddle.ir.GraphException;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.LaunchShape;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.abi.DeviceHeader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Kernel kinds to sources of a GPU dialect. */
public final class GpuCodegen {
  private GpuCodegen() {}

  /** Why no body computes this kind; empty if one does. */
  public static Optional<String> refusal(KernelKind kind) {
    return Refusals.of(kind);
  }

  /**
   * One source with a kernel for each kind, in the order of {@code kinds}.
   *
   * @param key what the kernels are launched for: rows of their grids, offsets in the step header
   * @throws GraphException if a kind has no body
   */
  public static GpuSource generate(Dialect dialect, List<KernelKind> kinds, PlanKey key) {
    var templates = new BodyTemplates();
    var text = new StringBuilder(dialect.prelude());
    define(text, headerConstants(key));
    Map<String, Integer> used = new HashMap<>();
    List<GpuKernel> kernels = new ArrayList<>();
    for (KernelKind kind : kinds) {
      refusal(kind)
          .ifPresent(why -> {
            throw new GraphException(
                "The GPU targets cannot compute "
                    + kind
                    + ": "
                    + why
                    + "; compile for the JVM instead.");
          });
      KernelBody body = KernelBody.of(kind);
      int again = used.merge(body.name(), 1, Integer::sum);
      String name = again == 1 ? body.name() : body.name() + "_" + again;
      text.append('\n').append(render(templates, kind, body, name, key));
      kernels.add(
          new GpuKernel(
              name, kind, new LaunchShape(body.gridX(), rows(body, key), body.threads(), 0)));
    }
    return new GpuSource(dialect, text.toString(), kernels);
  }

  /** A body alone, with its constants before and after it. */
  private static String render(
      BodyTemplates templates, KernelKind kind, KernelBody body, String name, PlanKey key) {
    var out = new StringBuilder("/* ").append(kind).append(" */\n");
    define(out, body.constants());
    var variables = new HashMap<String, Object>(body.variables());
    variables.put("name", name);
    variables.put("guard", guard(body, key));
    out.append(templates.render(body.template(), variables));
    out.append("EXPORT(").append(name).append(")\n");
    body.constants()
        .keySet()
        .forEach(constant -> out.append("#undef ").append(constant).append('\n'));
    return out.toString();
  }

  /**
   * A step of a bucket of 1 has its one token, but perhaps no row of logits; other buckets may be
   * partly empty.
   */
  private static String guard(KernelBody body, PlanKey key) {
    return switch (body.count()) {
      case TOKENS ->
          key.tokens() == 1 ? "" : "  if (BLOCK_Y >= header[COUNT_OF_TOKENS_AT]) return;";
      case OUT_ROWS -> "  if (BLOCK_Y >= header[COUNT_OF_WANTED_AT]) return;";
    };
  }

  private static int rows(KernelBody body, PlanKey key) {
    return switch (body.count()) {
      case TOKENS -> key.tokens();
      case OUT_ROWS -> key.outRows();
    };
  }

  private static Map<String, String> headerConstants(PlanKey key) {
    int bucket = key.tokens();
    Map<String, String> constants = new LinkedHashMap<>();
    constants.put("TOKENS", Integer.toString(bucket));
    constants.put("COUNT_OF_TOKENS_AT", Integer.toString(DeviceHeader.TOKENS));
    constants.put("COUNT_OF_WANTED_AT", Integer.toString(DeviceHeader.OUT_ROWS));
    constants.put("BLOCKS_PER_SLOT_AT", Integer.toString(DeviceHeader.BLOCKS_PER_SLOT));
    constants.put("IDS_AT", Integer.toString(DeviceHeader.ids(bucket)));
    constants.put("POSITIONS_AT", Integer.toString(DeviceHeader.positions(bucket)));
    constants.put("SLOTS_AT", Integer.toString(DeviceHeader.slots(bucket)));
    constants.put("WANTED_AT", Integer.toString(DeviceHeader.outRows(bucket)));
    constants.put("TABLES_AT", Integer.toString(DeviceHeader.blockTables(bucket)));
    return constants;
  }

  private static void define(StringBuilder out, Map<String, String> constants) {
    constants.forEach((name, value) ->
        out.append("#define ").append(name).append(' ').append(value).append('\n'));
  }
}
