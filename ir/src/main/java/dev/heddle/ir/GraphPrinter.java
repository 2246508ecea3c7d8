package dev.heddle.ir;

import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes the text form (see {@link GraphText}). */
final class GraphPrinter {
  private final Graph graph;

  /** Weights by node id whose name stands for one node only. */
  private final Map<Integer, String> weightNames = new HashMap<>();

  GraphPrinter(Graph graph) {
    this.graph = graph;
    Map<String, Integer> uses = new HashMap<>();
    for (Node node : graph.nodes()) {
      if (node.op() instanceof Op.Weight w) {
        weightNames.put(node.id(), weightName(w));
        uses.merge(weightName(w), 1, Integer::sum);
      }
    }
    weightNames.values().removeIf(name -> uses.get(name) > 1);
  }

  String print() {
    StringBuilder out = new StringBuilder("graph ").append(word(graph.name())).append('\n');
    for (Node node : graph.nodes()) {
      out.append(line(node)).append('\n');
    }
    for (Graph.Output output : graph.outputs()) {
      out.append("output ")
          .append(word(output.name()))
          .append(" = ")
          .append(reference(output.value()))
          .append('\n');
    }
    return out.toString();
  }

  String line(Node node) {
    String computed =
        node.op() instanceof Op.Weight w && node.inputs().isEmpty() ? weightName(w) : call(node);
    String types =
        node.types().stream().map(TensorType::toString).collect(Collectors.joining(", "));
    return "%" + node.id() + " = " + computed + " : " + types + remark(node);
  }

  static String weightName(Op.Weight w) {
    if (w.rowFrom() == 0 && w.rowTo() == -1) {
      return "@" + word(w.tensor());
    }
    return "@"
        + word(w.tensor())
        + "["
        + w.rowFrom()
        + ":"
        + (w.rowTo() == -1 ? "" : w.rowTo())
        + "]";
  }

  private String reference(Value value) {
    String name = value.result() == 0 ? weightNames.get(value.node()) : null;
    return name == null ? value.toString() : name;
  }

  private String call(Node node) {
    OpSchema schema = OpSchema.of(node.op().getClass());
    List<String> announced = new ArrayList<>();
    for (RecordComponent c : schema.components()) {
      if (c.getType() == boolean.class && (boolean) OpSchema.get(c, node.op())) {
        announced.add(c.getName());
      }
    }
    // A norm's weight is positional; a node whose inputs do not match its flags is printed with the
    // flags as they are.
    boolean matches = announced.size() <= node.inputs().size();
    int positional = node.inputs().size() - (matches ? announced.size() : 0);
    boolean weightIsPositional = matches && announced.equals(List.of("weight")) && positional == 1;
    List<String> args = new ArrayList<>();
    for (int i = 0; i < positional + (weightIsPositional ? 1 : 0); i++) {
      args.add(reference(node.input(i)));
    }
    int next = positional;
    for (RecordComponent c : schema.components()) {
      Object value = OpSchema.get(c, node.op());
      if (c.getType() != boolean.class) {
        args.add(c.getName() + "=" + attribute(value));
      } else if ((boolean) value && !matches) {
        args.add(c.getName() + "=true");
      } else if ((boolean) value && !weightIsPositional) {
        args.add(c.getName() + "=" + reference(node.input(next++)));
      } else if (!(boolean) value && c.getName().equals("weight") && node.inputs().size() != 1) {
        args.add("weight=false");
      }
    }
    return schema.name() + "(" + String.join(", ", args) + ")";
  }

  private static String attribute(Object value) {
    return switch (value) {
      case Integer i -> i.toString();
      case Long l -> l.toString();
      case Double d -> number(d);
      case Enum<?> e -> e.name().toLowerCase(Locale.ROOT);
      case String s -> quoted(s);
      case Shape s -> s.toString();
      case List<?> l ->
          l.stream().map(GraphPrinter::attribute).collect(Collectors.joining(", ", "[", "]"));
      case Record r -> record(r);
      default ->
          throw new HeddleBug(
              "text form has no way to write the attribute type " + value.getClass().getName());
    };
  }

  private static String record(Record value) {
    OpSchema schema = OpSchema.of(value.getClass());
    if (schema.components().isEmpty()) {
      return schema.name();
    }
    return schema.components().stream()
        .map(c -> c.getName() + "=" + attribute(OpSchema.get(c, value)))
        .collect(Collectors.joining(", ", schema.name() + "(", ")"));
  }

  /** Shortest digits that read back as the same double, without an exponent where that is short. */
  static String number(double d) {
    if (Double.isNaN(d)) {
      return "nan";
    }
    if (Double.isInfinite(d)) {
      return d > 0 ? "inf" : "-inf";
    }
    if (d == 0) {
      return 1 / d < 0 ? "-0" : "0";
    }
    BigDecimal decimal = new BigDecimal(Double.toString(d)).stripTrailingZeros();
    int exponent = decimal.precision() - decimal.scale() - 1;
    if (exponent >= -4 && exponent <= 6) {
      return decimal.toPlainString();
    }
    BigDecimal mantissa = decimal.scaleByPowerOfTen(-exponent);
    return mantissa.stripTrailingZeros().toPlainString() + "e" + exponent;
  }

  private static String remark(Node node) {
    StringBuilder out = new StringBuilder();
    if (node.layer() != -1) {
      out.append(" layer ").append(node.layer());
    }
    if (!node.role().isEmpty()) {
      out.append(' ').append(node.role().equals("layer") ? quoted(node.role()) : word(node.role()));
    }
    if (!node.source().equals(Source.NONE)) {
      out.append(out.isEmpty() ? " " : "  ").append(position(node.source()));
      for (Source s = node.source().caller(); s != null; s = s.caller()) {
        out.append(" from ").append(position(s));
      }
    }
    return out.isEmpty() ? "" : "  ;" + out;
  }

  private static String position(Source s) {
    String file = s.file().equals("layer") ? quoted(s.file()) : word(s.file());
    return file + ":" + s.line() + (s.column() == 0 ? "" : ":" + s.column());
  }

  /** A name as it is if it is a plain word, else quoted. */
  static String word(String name) {
    boolean plain = !name.isEmpty() && name.chars().allMatch(TextCursor::isWordChar);
    return plain ? name : quoted(name);
  }

  private static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ') {
        out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }
}
