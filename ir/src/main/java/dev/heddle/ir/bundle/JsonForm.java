package dev.heddle.ir.bundle;

import dev.heddle.ir.Dim;
import dev.heddle.ir.HeddleBug;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * One type's JSON form. The forms of values that are no records stand here, records in {@link
 * RecordJson}.
 */
interface JsonForm {
  void write(JsonGenerator out, Object value);

  /** Starts at the value's first token and ends at its last. */
  Object read(JsonParser in);

  /** What is wrong with a text; becomes a {@link BundleException} that names the file. */
  final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Fault(String message) {
      super(message);
    }
  }

  static JsonForm scalar(Class<?> c) {
    if (c == int.class || c == Integer.class) {
      return new ScalarForm(
          JsonToken.VALUE_NUMBER_INT,
          (out, v) -> out.writeNumber((int) v),
          JsonParser::getIntValue);
    }
    if (c == long.class || c == Long.class) {
      return new ScalarForm(
          JsonToken.VALUE_NUMBER_INT,
          (out, v) -> out.writeNumber((long) v),
          JsonParser::getLongValue);
    }
    if (c == String.class) {
      return new ScalarForm(
          JsonToken.VALUE_STRING, (out, v) -> out.writeString((String) v), JsonParser::getString);
    }
    if (c == boolean.class || c == Boolean.class) {
      return new BooleanForm();
    }
    if (c == double.class || c == Double.class) {
      return new DoubleForm();
    }
    throw new HeddleBug("no JSON form for " + c);
  }

  static void expect(JsonParser in, JsonToken token, String what) {
    if (in.currentToken() != token) {
      throw new Fault("expected " + what + " at " + in.currentTokenLocation().offsetDescription());
    }
  }

  record ScalarForm(
      JsonToken token,
      BiConsumer<JsonGenerator, Object> writer,
      Function<JsonParser, Object> reader)
      implements JsonForm {
    @Override
    public void write(JsonGenerator out, Object value) {
      writer.accept(out, value);
    }

    @Override
    public Object read(JsonParser in) {
      expect(in, token, token == JsonToken.VALUE_STRING ? "a string" : "a whole number");
      return reader.apply(in);
    }
  }

  record BooleanForm() implements JsonForm {
    @Override
    public void write(JsonGenerator out, Object value) {
      out.writeBoolean((boolean) value);
    }

    @Override
    public Object read(JsonParser in) {
      if (in.currentToken() != JsonToken.VALUE_TRUE) {
        expect(in, JsonToken.VALUE_FALSE, "true or false");
      }
      return in.currentToken() == JsonToken.VALUE_TRUE;
    }
  }

  record DoubleForm() implements JsonForm {
    @Override
    public void write(JsonGenerator out, Object value) {
      double d = (double) value;
      if (Double.isFinite(d)) {
        out.writeNumber(d);
      } else {
        out.writeString(Double.toString(d));
      }
    }

    @Override
    public Object read(JsonParser in) {
      if (in.currentToken() == JsonToken.VALUE_STRING) {
        return switch (in.getString()) {
          case "Infinity" -> Double.POSITIVE_INFINITY;
          case "-Infinity" -> Double.NEGATIVE_INFINITY;
          case "NaN" -> Double.NaN;
          default -> throw new Fault("expected a number, found \"" + in.getString() + "\"");
        };
      }
      if (in.currentToken() != JsonToken.VALUE_NUMBER_INT) {
        expect(in, JsonToken.VALUE_NUMBER_FLOAT, "a number");
      }
      return in.getDoubleValue();
    }
  }

  record DimForm() implements JsonForm {
    @Override
    public void write(JsonGenerator out, Object value) {
      switch ((Dim) value) {
        case Dim.Const c -> out.writeNumber(c.value());
        case Dim.Sym s -> out.writeString(s.name());
      }
    }

    @Override
    public Object read(JsonParser in) {
      if (in.currentToken() == JsonToken.VALUE_STRING) {
        return new Dim.Sym(in.getString());
      }
      expect(in, JsonToken.VALUE_NUMBER_INT, "a dimension");
      if (in.getLongValue() < 1) {
        throw new Fault("a dimension is " + in.getLongValue() + ", it must be at least 1");
      }
      return Dim.of(in.getLongValue());
    }
  }

  record ListForm(JsonForm element) implements JsonForm {
    @Override
    public void write(JsonGenerator out, Object value) {
      out.writeStartArray();
      for (Object o : (List<?>) value) {
        element.write(out, o);
      }
      out.writeEndArray();
    }

    @Override
    public Object read(JsonParser in) {
      expect(in, JsonToken.START_ARRAY, "a list");
      var list = new ArrayList<Object>();
      while (in.nextToken() != JsonToken.END_ARRAY) {
        list.add(element.read(in));
      }
      return list;
    }
  }

  record MapForm(JsonForm element) implements JsonForm {
    @Override
    public void write(JsonGenerator out, Object value) {
      out.writeStartObject();
      for (Map.Entry<?, ?> e : ((Map<?, ?>) value).entrySet()) {
        out.writeName((String) e.getKey());
        element.write(out, e.getValue());
      }
      out.writeEndObject();
    }

    @Override
    public Object read(JsonParser in) {
      expect(in, JsonToken.START_OBJECT, "an object");
      var map = new LinkedHashMap<String, Object>();
      for (String name = in.nextName(); name != null; name = in.nextName()) {
        in.nextToken();
        if (map.put(name, element.read(in)) != null) {
          throw new Fault("\"" + name + "\" stands twice");
        }
      }
      return map;
    }
  }

  final class EnumForm implements JsonForm {
    private final Map<String, Object> values = new LinkedHashMap<>();
    private final String type;

    EnumForm(Class<?> type) {
      this.type = type.getSimpleName();
      for (Object o : type.getEnumConstants()) {
        values.put(((Enum<?>) o).name(), o);
      }
    }

    @Override
    public void write(JsonGenerator out, Object value) {
      out.writeString(((Enum<?>) value).name());
    }

    @Override
    public Object read(JsonParser in) {
      expect(in, JsonToken.VALUE_STRING, "a name");
      Object value = values.get(in.getString());
      if (value == null) {
        throw new Fault(
            "unknown "
                + type
                + " \""
                + in.getString()
                + "\" (known: "
                + String.join(", ", values.keySet())
                + ")");
      }
      return value;
    }
  }
}
