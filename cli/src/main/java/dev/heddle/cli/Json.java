package dev.heddle.cli;

import dev.heddle.ir.HeddleBug;
import java.lang.reflect.RecordComponent;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Writes maps, lists, records, strings, numbers and booleans as JSON: the twin of every screen. */
final class Json {
  private final StringBuilder out = new StringBuilder();
  private final boolean indented;

  private Json(boolean indented) {
    this.indented = indented;
  }

  /** {@code value} over several lines. */
  static String pretty(Object value) {
    Json json = new Json(true);
    json.write(value, 0);
    return json.out.toString();
  }

  /** {@code value} in one line, for streams of events. */
  static String line(Object value) {
    Json json = new Json(false);
    json.write(value, 0);
    return json.out.toString();
  }

  private void write(Object value, int depth) {
    switch (value) {
      case null -> out.append("null");
      case Optional<?> optional -> write(optional.orElse(null), depth);
      case Map<?, ?> map -> writeMap(map, depth);
      case List<?> list -> writeList(list, depth);
      case int[] ints -> writeList(IntStream.of(ints).boxed().toList(), depth);
      case Record row -> writeRecord(row, depth);
      case Double number when !Double.isFinite(number) -> out.append("null");
      case Float number when !Float.isFinite(number) -> out.append("null");
      case Number number -> out.append(number);
      case Boolean truth -> out.append(truth);
      default -> writeString(value.toString());
    }
  }

  private void writeMap(Map<?, ?> map, int depth) {
    out.append('{');
    Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
    while (entries.hasNext()) {
      Map.Entry<?, ?> entry = entries.next();
      newLine(depth + 1);
      writeString(String.valueOf(entry.getKey()));
      out.append(indented ? ": " : ":");
      write(entry.getValue(), depth + 1);
      if (entries.hasNext()) {
        out.append(',');
      }
    }
    if (!map.isEmpty()) {
      newLine(depth);
    }
    out.append('}');
  }

  private void writeList(List<?> list, int depth) {
    boolean flat = list.stream().allMatch(e -> e instanceof Number || e instanceof Boolean);
    out.append('[');
    for (int i = 0; i < list.size(); i++) {
      if (!flat) {
        newLine(depth + 1);
      }
      write(list.get(i), depth + 1);
      if (i + 1 < list.size()) {
        out.append(flat && indented ? ", " : ",");
      }
    }
    if (!flat) {
      newLine(depth);
    }
    out.append(']');
  }

  private void writeRecord(Record row, int depth) {
    Map<String, Object> map = new java.util.LinkedHashMap<>();
    for (RecordComponent component : row.getClass().getRecordComponents()) {
      try {
        map.put(component.getName(), component.getAccessor().invoke(row));
      } catch (ReflectiveOperationException e) {
        throw new HeddleBug("record " + row.getClass().getName() + " cannot be read for --json", e);
      }
    }
    writeMap(map, depth);
  }

  private void newLine(int depth) {
    if (indented) {
      out.append('\n').append("  ".repeat(depth));
    }
  }

  private void writeString(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < 0x20 || Character.isSurrogate(c) && !isPaired(text, i)) {
            out.append(String.format("\\u%04x", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }

  private static boolean isPaired(String text, int i) {
    return Character.isHighSurrogate(text.charAt(i))
        ? i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))
        : i > 0 && Character.isHighSurrogate(text.charAt(i - 1));
  }
}
