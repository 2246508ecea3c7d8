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
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

/**
 * Records as JSON, strictly: an object has exactly the record's components, in any order ({@link
 * MayBeAbsent} ones may be missing). A value of a sealed interface is its record with a first field
 * {@code "kind"}: the record's name in snake case without the suffix Kernel. Dimensions are a
 * number or a symbol's name; infinite and undefined doubles are strings. Works on tokens, so that
 * the plans of a deep model read quickly.
 */
final class RecordJson {
  private final JsonMapper mapper = JsonMapper.builder().build();
  private final Map<Type, JsonForm> forms = new HashMap<>();

  byte[] write(Object value, boolean pretty) {
    var bytes = new ByteArrayOutputStream();
    var writer = pretty ? mapper.writerWithDefaultPrettyPrinter() : mapper.writer();
    try (JsonGenerator out = writer.createGenerator(bytes)) {
      form(value.getClass()).write(out, value);
    }
    return bytes.toByteArray();
  }

  /** Reads one value; {@code where} names file and entry in the error's sentence. */
  <T> T read(byte[] json, Class<T> type, String where) {
    return parse(
        json,
        where,
        in -> {
          T value = type.cast(form(type).read(in));
          if (in.nextToken() != null) {
            throw new JsonForm.Fault("there is text after the end");
          }
          return value;
        });
  }

  /**
   * Reads the first {@code fields} components of a record by name and leaves the rest of the text
   * unread.
   */
  Map<String, Object> readLeading(
      byte[] json, Class<? extends Record> record, int fields, String where) {
    return parse(json, where, in -> ((RecordForm) form(record)).readLeading(in, fields));
  }

  private <T> T parse(byte[] json, String where, Function<JsonParser, T> reader) {
    try (JsonParser in = mapper.createParser(json)) {
      in.nextToken();
      return reader.apply(in);
    } catch (JsonForm.Fault e) {
      throw new BundleException(
          where + ": " + e.getMessage() + "; compile the model again with this heddle", e);
    } catch (JacksonException e) {
      throw new BundleException(
          where + " is damaged JSON (" + e.getOriginalMessage() + "); compile the model again", e);
    }
  }

  private JsonForm form(Type type) {
    JsonForm known = forms.get(type);
    if (known == null) {
      known = make(type);
      forms.put(type, known);
    }
    return known;
  }

  private JsonForm make(Type type) {
    if (type instanceof ParameterizedType generic) {
      Type[] of = generic.getActualTypeArguments();
      if (generic.getRawType() == List.class) {
        return new JsonForm.ListForm(form(of[0]));
      }
      if (generic.getRawType() == Map.class && of[0] == String.class) {
        return new JsonForm.MapForm(form(of[1]));
      }
    }
    if (!(type instanceof Class<?> c)) {
      throw new HeddleBug("no JSON form for " + type);
    }
    if (c == Dim.class) {
      return new JsonForm.DimForm();
    }
    if (c.isRecord()) {
      return new RecordForm(c);
    }
    if (c.isSealed()) {
      return new SealedForm(c);
    }
    if (c.isEnum()) {
      return new JsonForm.EnumForm(c);
    }
    return JsonForm.scalar(c);
  }

  /** Snake case of a record's simple name, without the suffix Kernel. */
  static String kindName(Class<?> record) {
    String name = record.getSimpleName().replaceFirst("(?<=.)Kernel$", "");
    return name.replaceAll("(?<=[a-z0-9])(?=[A-Z])", "_").toLowerCase(java.util.Locale.ROOT);
  }

  private final class SealedForm implements JsonForm {
    private final Map<String, RecordForm> kinds = new LinkedHashMap<>();
    private final Map<Class<?>, String> names = new HashMap<>();
    private final String type;

    SealedForm(Class<?> type) {
      this.type = type.getSimpleName();
      for (Class<?> c : type.getPermittedSubclasses()) {
        if (!c.isRecord() || kinds.put(kindName(c), (RecordForm) form(c)) != null) {
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
      JsonForm.expect(in, JsonToken.START_OBJECT, "an object");
      if (!"kind".equals(in.nextName())) {
        throw new JsonForm.Fault("a " + type + " starts with the field \"kind\"");
      }
      in.nextToken();
      JsonForm.expect(in, JsonToken.VALUE_STRING, "a kind");
      RecordForm record = kinds.get(in.getString());
      if (record == null) {
        throw new JsonForm.Fault("unknown kind \"" + in.getString() + "\" of " + type);
      }
      return record.readFields(in);
    }
  }

  private final class RecordForm implements JsonForm {
    private final String[] names;
    private final Method[] accessors;
    private final JsonForm[] parts;
    private final boolean[] optional;
    private final Constructor<?> constructor;
    private final String type;

    RecordForm(Class<?> record) {
      RecordComponent[] components = record.getRecordComponents();
      names = new String[components.length];
      accessors = new Method[components.length];
      parts = new JsonForm[components.length];
      optional = new boolean[components.length];
      var types = new Class<?>[components.length];
      for (int i = 0; i < components.length; i++) {
        names[i] = components[i].getName();
        accessors[i] = components[i].getAccessor();
        parts[i] = form(components[i].getGenericType());
        optional[i] = components[i].isAnnotationPresent(MayBeAbsent.class);
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
        try {
          Object part = accessors[i].invoke(value);
          if (part == null && optional[i]) {
            continue;
          }
          out.writeName(names[i]);
          parts[i].write(out, part);
        } catch (ReflectiveOperationException e) {
          throw new HeddleBug("cannot read " + type + "." + names[i], e);
        }
      }
    }

    @Override
    public Object read(JsonParser in) {
      JsonForm.expect(in, JsonToken.START_OBJECT, "an object");
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
          throw new JsonForm.Fault("\"" + name + "\" stands twice in a " + type);
        }
        values[i] = parts[i].read(in);
      }
      for (int i = 0; i < names.length; i++) {
        if (values[i] == null && !optional[i]) {
          throw new JsonForm.Fault("field \"" + names[i] + "\" of a " + type + " is missing");
        }
      }
      return construct(values);
    }

    Map<String, Object> readLeading(JsonParser in, int fields) {
      JsonForm.expect(in, JsonToken.START_OBJECT, "an object");
      var values = new HashMap<String, Object>();
      for (int i = 0; i < fields; i++) {
        if (!names[i].equals(in.nextName())) {
          throw new JsonForm.Fault("field \"" + names[i] + "\" does not stand first");
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
      throw new JsonForm.Fault("unknown field \"" + name + "\" of a " + type);
    }

    private Object construct(Object[] values) {
      try {
        return constructor.newInstance(values);
      } catch (InvocationTargetException e) {
        throw new JsonForm.Fault("a " + type + " is refused: " + e.getCause().getMessage());
      } catch (ReflectiveOperationException e) {
        throw new HeddleBug("cannot construct " + type, e);
      }
    }
  }
}
