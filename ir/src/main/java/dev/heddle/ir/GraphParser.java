package dev.heddle.ir;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads the text form (see {@link GraphText}). */
final class GraphParser {
  private static final int MAX_CALLERS = 1000;

  private final List<TextCursor> lines = new ArrayList<>();
  private final Map<Op.Weight, Value> weights = new HashMap<>();
  private final List<Node> nodes = new ArrayList<>();
  private final List<Graph.Output> outputs = new ArrayList<>();

  GraphParser(String text) {
    String[] parts = text.split("\n", -1);
    for (int i = 0; i < parts.length; i++) {
      String line =
          parts[i].endsWith("\r") ? parts[i].substring(0, parts[i].length() - 1) : parts[i];
      TextCursor cursor = new TextCursor(i + 1, line);
      if (!cursor.atEnd() && cursor.peek() != '#') {
        lines.add(cursor);
      }
    }
  }

  Graph parse() {
    if (lines.isEmpty()) {
      throw new GraphParseException(1, 1, "expected 'graph' and a name, but the text is empty");
    }
    TextCursor head = lines.getFirst();
    if (!head.acceptWord("graph")) {
      throw head.expected("'graph' and a name");
    }
    String name = head.name();
    head.expectEnd();
    for (TextCursor line : lines.subList(1, lines.size())) {
      if (line.acceptWord("output")) {
        output(line);
      } else {
        node(line);
      }
      line.expectEnd();
    }
    return new Graph(name, nodes, outputs);
  }

  private void output(TextCursor line) {
    String name = line.name();
    line.expect('=');
    outputs.add(new Graph.Output(name, reference(line)));
  }

  private void node(TextCursor line) {
    if (!outputs.isEmpty()) {
      throw line.expected("'output': nodes stand before outputs");
    }
    line.expect('%');
    int id = line.smallInteger();
    line.expect('=');
    List<Value> inputs = new ArrayList<>();
    Op op = line.peek() == '@' ? weight(line) : call(line, inputs);
    line.expect(':');
    List<TensorType> types = new ArrayList<>(List.of(type(line)));
    while (line.accept(',')) {
      types.add(type(line));
    }
    if (op instanceof Op.Weight w) {
      weights.put(w, Value.of(id));
    }
    nodes.add(remark(line, new Node(id, op, inputs, types, -1, "", Source.NONE)));
  }

  private static Node remark(TextCursor line, Node node) {
    if (!line.accept(';')) {
      return node;
    }
    int layer = line.acceptWord("layer") ? line.smallInteger() : -1;
    String role = "";
    Source source = Source.NONE;
    if (!line.atEnd()) {
      String name = line.name();
      if (line.peek() != ':') {
        role = name;
        name = line.atEnd() ? null : line.name();
      }
      if (name != null) {
        source = source(line, name);
      }
    }
    return new Node(node.id(), node.op(), node.inputs(), node.types(), layer, role, source);
  }

  /** Position and callers; the innermost comes first. */
  private static Source source(TextCursor line, String file) {
    List<Source> chain = new ArrayList<>(List.of(position(line, file)));
    while (line.acceptWord("from")) {
      if (chain.size() == MAX_CALLERS) {
        throw line.failAt(line.column(), "a position has at most " + MAX_CALLERS + " callers");
      }
      chain.add(position(line, line.name()));
    }
    Source source = null;
    for (Source s : chain.reversed()) {
      source = new Source(s.file(), s.line(), s.column(), source);
    }
    return source;
  }

  private static Source position(TextCursor line, String file) {
    line.expect(':');
    int row = line.smallInteger();
    return Source.at(file, row, line.accept(':') ? line.smallInteger() : 0);
  }

  private Value reference(TextCursor line) {
    int start = line.column();
    if (line.peek() == '@') {
      Op.Weight w = weight(line);
      Value value = weights.get(w);
      if (value == null) {
        throw line.failAt(start, "no line above defines " + GraphPrinter.weightName(w));
      }
      return value;
    }
    line.expect('%');
    int node = line.smallInteger();
    // "%3.1" is result 1 of node 3
    return new Value(node, line.accept('.') ? line.smallInteger() : 0);
  }

  private static Op.Weight weight(TextCursor line) {
    line.expect('@');
    String tensor = line.name();
    if (!line.accept('[')) {
      return Op.Weight.whole(tensor);
    }
    long from = line.integer();
    line.expect(':');
    long to = line.peek() == ']' ? -1 : line.integer();
    line.expect(']');
    return new Op.Weight(tensor, from, to);
  }

  private static TensorType type(TextCursor line) {
    int start = line.column();
    String name = line.word();
    DType dtype =
        DType.ofText(name)
            .orElseThrow(() -> line.failAt(start, "'" + name + "' is not an element type"));
    Layout layout = line.peek() == '{' ? Layout.GGUF : Layout.ROWS;
    return new TensorType(
        dtype,
        shape(line, layout == Layout.GGUF ? '{' : '[', layout == Layout.GGUF ? '}' : ']'),
        layout);
  }

  private static Shape shape(TextCursor line, char open, char close) {
    List<Dim> dims = new ArrayList<>();
    line.expect(open);
    while (!line.accept(close)) {
      if (!dims.isEmpty()) {
        line.expect(',');
      }
      dims.add(dim(line));
    }
    return new Shape(dims);
  }

  private static Dim dim(TextCursor line) {
    int start = line.column();
    char c = line.peek();
    if (c >= '0' && c <= '9' || c == '-') {
      long value = line.integer();
      if (value < 1) {
        throw line.failAt(start, "a constant dimension is at least 1, not " + value);
      }
      return Dim.of(value);
    }
    return new Dim.Sym(line.word());
  }

  private Op call(TextCursor line, List<Value> inputs) {
    int start = line.column();
    String name = line.word();
    OpSchema schema = OpSchema.named(name);
    if (schema == null) {
      throw line.failAt(start, "there is no op '" + name + "'");
    }
    Map<String, Object> attributes = new HashMap<>();
    Map<String, Value> optional = new HashMap<>();
    line.expect('(');
    boolean isFirst = true;
    while (!line.accept(')')) {
      if (!isFirst) {
        line.expect(',');
      }
      isFirst = false;
      if (line.peek() == '%' || line.peek() == '@') {
        inputs.add(reference(line));
      } else {
        attribute(line, schema, attributes, optional);
      }
    }
    if (schema.flags().contains("weight")) {
      attributes.putIfAbsent("weight", inputs.size() > 1);
    }
    for (String flag : schema.flags()) {
      attributes.putIfAbsent(flag, false);
      if (optional.containsKey(flag)) {
        inputs.add(optional.get(flag));
      }
    }
    return (Op) create(line, start, schema, attributes);
  }

  private void attribute(
      TextCursor line,
      OpSchema schema,
      Map<String, Object> attributes,
      Map<String, Value> optional) {
    int start = line.column();
    String name = line.word();
    RecordComponent component = schema.component(name);
    if (component == null || attributes.containsKey(name)) {
      String fault = component == null ? "has no attribute '" : "has two attributes '";
      throw line.failAt(start, "'" + schema.name() + "' " + fault + name + "'");
    }
    line.expect('=');
    if (component.getType() == boolean.class && (line.peek() == '%' || line.peek() == '@')) {
      optional.put(name, reference(line));
      attributes.put(name, true);
    } else {
      attributes.put(name, value(line, component.getType()));
    }
  }

  private static Object create(
      TextCursor line, int start, OpSchema schema, Map<String, Object> attributes) {
    List<Object> values = new ArrayList<>();
    for (RecordComponent c : schema.components()) {
      Object value = attributes.get(c.getName());
      if (value == null) {
        throw line.failAt(
            start, "'" + schema.name() + "' lacks the attribute '" + c.getName() + "'");
      }
      values.add(value);
    }
    Object made = schema.create(values);
    if (made == null) {
      throw line.failAt(start, "'" + schema.name() + "' does not take these attributes");
    }
    return made;
  }

  private static Object value(TextCursor line, Class<?> type) {
    if (type == int.class) {
      return line.smallInteger();
    } else if (type == long.class) {
      return line.integer();
    } else if (type == double.class) {
      return line.real();
    } else if (type == boolean.class) {
      return bool(line);
    } else if (type == String.class) {
      return line.quoted();
    } else if (type == Shape.class) {
      return shape(line, '[', ']');
    } else if (type == List.class) {
      return integers(line);
    } else if (type.isEnum()) {
      return constant(line, type);
    } else if (type.isSealed()) {
      return record(line, type);
    }
    throw new HeddleBug("text form has no way to read the attribute type " + type.getName());
  }

  private static boolean bool(TextCursor line) {
    int start = line.column();
    String word = line.word();
    if (!word.equals("true") && !word.equals("false")) {
      throw line.failAt(start, "expected true, false or a value, not '" + word + "'");
    }
    return word.equals("true");
  }

  private static List<Integer> integers(TextCursor line) {
    List<Integer> list = new ArrayList<>();
    line.expect('[');
    while (!line.accept(']')) {
      if (!list.isEmpty()) {
        line.expect(',');
      }
      list.add(line.smallInteger());
    }
    return list;
  }

  private static Object constant(TextCursor line, Class<?> type) {
    int start = line.column();
    String word = line.word();
    List<String> names = new ArrayList<>();
    for (Object constant : type.getEnumConstants()) {
      String name = ((Enum<?>) constant).name().toLowerCase(Locale.ROOT);
      if (name.equals(word)) {
        return constant;
      }
      names.add(name);
    }
    throw line.failAt(start, "'" + word + "' is not one of " + String.join(", ", names));
  }

  private static Object record(TextCursor line, Class<?> type) {
    int start = line.column();
    Map<String, OpSchema> schemas = OpSchema.ofSealed(type);
    String name = line.word();
    OpSchema schema = schemas.get(name);
    if (schema == null) {
      throw line.failAt(
          start, "'" + name + "' is not one of " + String.join(", ", schemas.keySet()));
    }
    Map<String, Object> attributes = new HashMap<>();
    if (line.accept('(')) {
      while (!line.accept(')')) {
        if (!attributes.isEmpty()) {
          line.expect(',');
        }
        int at = line.column();
        String attribute = line.word();
        RecordComponent component = schema.component(attribute);
        if (component == null || attributes.containsKey(attribute)) {
          throw line.failAt(at, "'" + name + "' does not take '" + attribute + "' here");
        }
        line.expect('=');
        attributes.put(attribute, value(line, component.getType()));
      }
    }
    return create(line, start, schema, attributes);
  }
}
