package dev.heddle.ir.bundle;

import dev.heddle.ir.Dim;
import dev.heddle.ir.HeddleBug;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

/**
 * Records as JSON, strictly: an object has exactly the record's components, in any order. A value of a sealed interface is its
 * record with a first field {@code "kind"}: the record's name in snake case without the suffix Kernel. Dimensions are a number or a
 * symbol's name; infinite and undefined doubles are strings. Works on tokens, so that the plans of a deep model read quickly.
 */
final class RecordJson {
  private final JsonMapper mapper = JsonMapper.builder().build();
  private final Map<Type, Codec> codecs = new HashMap<>();

  /** One type's form; {@code read} starts at the value's first token and ends at its last. */
  private interface Codec {
    void write(JsonGenerator out, Object value);

    Object read(JsonParser in);
  }

  /** What is wrong with a text; becomes a {@link BundleException} that names the file. */
  private static final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Fault(String message) {
      super(message);
    }
  }

  byte[] write(Object value, boolean pretty) {
    var bytes = new ByteArrayOutputStream();
    var writer = pretty ? mapper.writerWithDefaultPrettyPrinter() : mapper.writer();
    try (JsonGenerator out = writer.createGenerator(bytes)) {
      codec(value.getClass()).write(out, value);
    }
    return bytes.toByteArray();
  }

  /** Reads one value; {@code where} names file and entry in the error's sentence. */
  <T> T read(byte[] json, Class<T> type, String where) {
    try (JsonParser in = mapper.createParser(json)) {
      in.nextToken();
      T value = type.cast(codec(type).read(in));
      if (in.nextToken() != null) {
        throw new Fault("there is text after the end");
      }
      return value;
    } catch (Fault e) {
      throw new BundleException(where + ": " + e.getMessage() + "; compile the model again with this heddle", e);
    } catch (JacksonException e) {
      throw new BundleException(where + " is damaged JSON (" + e.getOriginalMessage() + "); compile the model again", e);
    }
  }

  /** The value of the given top-level field if it is among the first {@code fields} of the object and a number. */
  <T> Map<String, Object> readLeading(byte[] json, Class<T> record, int fields, String where) {
    try (JsonParser in = mapper.createParser(json)) {
      in.nextToken();
      return ((RecordCodec) codec(record)).readLeading(in, fields);
    } catch (Fault e) {
      throw new BundleException(where + ": " + e.getMessage() + "; compile the model again with this heddle", e);
    } catch (JacksonException e) {
      throw new BundleException(where + " is damaged JSON (" + e.getOriginalMessage() + "); compile the model again", e);
    }
  }

  private Codec codec(Type type) {
    Codec known = codecs.get(type);
    if (known == null) {
      known = make(type);
      codecs.put(type, known);
    }
    return known;
  }

  private Codec make(Type type) {
    if (type instanceof ParameterizedType generic) {
      Type[] of = generic.getActualTypeArguments();
      if (generic.getRawType() == List.class) {
        return new ListCodec(codec(of[0]));
      }
      if (generic.getRawType() == Map.class && of[0] == String.class) {
        return new MapCodec(codec(of[1]));
      }
    }
    if (!(type instanceof Class<?> c)) {
      throw new HeddleBug("no JSON form for " + type);
    }
    if (c == Dim.class) {
      return new DimCodec();
    }
    if (c.isRecord()) {
      return new RecordCodec(c);
    }
    if (c.isSealed()) {
      return new SealedCodec(c);
    }
    if (c.isEnum()) {
      return new EnumCodec(c);
    }
    return scalar(c);
  }

  private static Codec scalar(Class<?> c) {
    if (c == int.class || c == Integer.class) {
      return new ScalarCodec(JsonToken.VALUE_NUMBER_INT, (out, v) -> out.writeNumber((int) v), JsonParser::getIntValue);
    }
    if (c == long.class || c == Long.class) {
      return new ScalarCodec(JsonToken.VALUE_NUMBER_INT, (out, v) -> out.writeNumber((long) v), JsonParser::getLongValue);
    }
    if (c == String.class) {
      return new ScalarCodec(JsonToken.VALUE_STRING, (out, v) -> out.writeString((String) v), JsonParser::getString);
    }
    if (c == boolean.class || c == Boolean.class) {
      return new BooleanCodec();
    }
    if (c == double.class || c == Double.class) {
      return new DoubleCodec();
    }
    throw new HeddleBug("no JSON form for " + c);
  }

  /** Snake case of a record's simple name, without the suffix Kernel. */
  static String kindName(Class<?> record) {
    String name = record.getSimpleName().replaceFirst("(?<=.)Kernel$", "");
    return name.replaceAll("(?<=[a-z0-9])(?=[A-Z])", "_").toLowerCase(java.util.Locale.ROOT);
  }

  private static void expect(JsonParser in, JsonToken token, String what) {
    if (in.currentToken() != token) {
      throw new Fault("expected " + what + " at " + in.currentTokenLocation().offsetDescription());
    }
  }

  private record ScalarCodec(
      JsonToken token,
      java.util.function.BiConsumer<JsonGenerator, Object> writer,
      java.util.function.Function<JsonParser, Object> reader)
      implements Codec {
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

  private record BooleanCodec() implements Codec {
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

  private record DoubleCodec() implements Codec {
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

  private record DimCodec() implements Codec {
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

  private record ListCodec(Codec element) implements Codec {
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

  private record MapCodec(Codec element) implements Codec {
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

  private static final class EnumCodec implements Codec {
    private final Map<String, Object> values = new LinkedHashMap<>();
    private final String type;

    EnumCodec(Class<?> type) {
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
        throw new Fault("unknown " + type + " \"" + in.getString() + "\" (known: " + String.join(", ", values.keySet()) + ")");
      }
      return value;
    }
  }

  private final class SealedCodec implements Codec {
    private final Map<String, RecordCodec> kinds = new LinkedHashMap<>();
    private final Map<Class<?>, String> names = new HashMap<>();
    private final String type;

    SealedCodec(Class<?> type) {
      this.type = type.getSimpleName();
      for (Class<?> c : type.getPermittedSubclasses()) {
        if (!c.isRecord() || kinds.put(kindName(c), (RecordCodec) codec(c)) != null) {
          throw new HeddleBug("no JSON form for " + c + " of " + type);
        }
        names.put(c, kindName(c));
      }
    }

    @Override
    public void write(JsonGenerator out, Object value) {
      String name = names.get(value.getClass());
      out.writeStartObject();
      out.writeName("kind");
      out.writeString(name);
      kinds.get(name).writeFields(out, value);
      out.writeEndObject();
    }

    @Override
    public Object read(JsonParser in) {
      expect(in, JsonToken.START_OBJECT, "an object");
      if (!"kind".equals(in.nextName())) {
        throw new Fault("a " + type + " starts with the field \"kind\"");
      }
      in.nextToken();
      expect(in, JsonToken.VALUE_STRING, "a kind");
      RecordCodec record = kinds.get(in.getString());
      if (record == null) {
        throw new Fault("unknown kind \"" + in.getString() + "\" of " + type);
      }
      return record.readFields(in);
    }
  }

  private final class RecordCodec implements Codec {
    private final String[] names;
    private final Method[] accessors;
    private final Codec[] parts;
    private final Constructor<?> constructor;
    private final String type;

    RecordCodec(Class<?> record) {
      RecordComponent[] components = record.getRecordComponents();
      names = new String[components.length];
      accessors = new Method[components.length];
      parts = new Codec[components.length];
      var types = new Class<?>[components.length];
      for (int i = 0; i < components.length; i++) {
        names[i] = components[i].getName();
        accessors[i] = components[i].getAccessor();
        parts[i] = codec(components[i].getGenericType());
        types[i] = components[i].getType();
      }
      type = record.getSimpleName();
      try {
        constructor = record.getDeclaredConstructor(types);
      } catch (NoSuchMethodException e) {
        throw new HeddleBug("record " + record + " has no canonical constructor", e);
      }
    }

    @Override
    public void write(JsonGenerator out, Object value) {
      out.writeStartObject();
      writeFields(out, value);
      out.writeEndObject();
    }

    void writeFields(JsonGenerator out, Object value) {
      for (int i = 0; i < names.length; i++) {
        out.writeName(names[i]);
        try {
          parts[i].write(out, accessors[i].invoke(value));
        } catch (ReflectiveOperationException e) {
          throw new HeddleBug("cannot read " + type + "." + names[i], e);
        }
      }
    }

    @Override
    public Object read(JsonParser in) {
      expect(in, JsonToken.START_OBJECT, "an object");
      return readFields(in);
    }

    Object readFields(JsonParser in) {
      var values = new Object[names.length];
      int next = 0;
      for (String name = in.nextName(); name != null; name = in.nextName()) {
        int i = index(name, next);
        next = i + 1;
        in.nextToken();
        if (values[i] != null) {
          throw new Fault("\"" + name + "\" stands twice in a " + type);
        }
        values[i] = parts[i].read(in);
      }
      for (int i = 0; i < names.length; i++) {
        if (values[i] == null) {
          throw new Fault("field \"" + names[i] + "\" of a " + type + " is missing");
        }
      }
      return construct(values);
    }

    Map<String, Object> readLeading(JsonParser in, int fields) {
      expect(in, JsonToken.START_OBJECT, "an object");
      var values = new HashMap<String, Object>();
      for (int i = 0; i < fields; i++) {
        if (!names[i].equals(in.nextName())) {
          throw new Fault("field \"" + names[i] + "\" does not stand first");
        }
        in.nextToken();
        values.put(names[i], parts[i].read(in));
      }
      return values;
    }

    private int index(String name, int expected) {
      if (expected < names.length && names[expected].equals(name)) {
        return expected;
      }
      for (int i = 0; i < names.length; i++) {
        if (names[i].equals(name)) {
          return i;
        }
      }
      throw new Fault("unknown field \"" + name + "\" of a " + type);
    }

    private Object construct(Object[] values) {
      try {
        return constructor.newInstance(values);
      } catch (InvocationTargetException e) {
        throw new Fault("a " + type + " is refused: " + e.getCause().getMessage());
      } catch (ReflectiveOperationException e) {
        throw new HeddleBug("cannot construct " + type, e);
      }
    }
  }
}
