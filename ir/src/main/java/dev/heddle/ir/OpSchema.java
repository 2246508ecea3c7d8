package dev.heddle.ir;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A record's name and components as text form sees them, read by reflection so that a new op needs
 * no line here.
 *
 * @param name name in text form
 * @param components attributes, in order
 * @param constructor the canonical constructor
 */
record OpSchema(String name, List<RecordComponent> components, Constructor<?> constructor) {
  /** Read once a class: reflection on every printed node would take most of the time. */
  private static final ClassValue<OpSchema> SCHEMAS =
      new ClassValue<>() {
        @Override
        protected OpSchema computeValue(Class<?> record) {
          return read(record);
        }
      };

  private static final Map<String, OpSchema> OPS = ofSealed(Op.class);

  /** The op of this name, or null. */
  static OpSchema named(String name) {
    return OPS.get(name);
  }

  /** Every op's name, sorted. */
  static List<String> names() {
    return List.copyOf(OPS.keySet());
  }

  /** The records of a sealed interface by name. */
  static Map<String, OpSchema> ofSealed(Class<?> type) {
    Map<String, OpSchema> map = new TreeMap<>();
    for (Class<?> record : type.getPermittedSubclasses()) {
      OpSchema schema = of(record);
      map.put(schema.name, schema);
    }
    return map;
  }

  /** A record's schema. */
  static OpSchema of(Class<?> record) {
    return SCHEMAS.get(record);
  }

  private static OpSchema read(Class<?> record) {
    RecordComponent[] components = record.getRecordComponents();
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    try {
      return new OpSchema(
          snakeCase(record.getSimpleName()),
          List.of(components),
          record.getDeclaredConstructor(types));
    } catch (NoSuchMethodException e) {
      throw new HeddleBug("record " + record + " has no canonical constructor", e);
    }
  }

  static String snakeCase(String name) {
    StringBuilder out = new StringBuilder();
    for (char c : name.toCharArray()) {
      boolean isUpper = Character.isUpperCase(c);
      out.append(isUpper && !out.isEmpty() ? "_" : "").append(Character.toLowerCase(c));
    }
    return out.toString();
  }

  /** Names of the flags that announce optional inputs, in order. */
  List<String> flags() {
    List<String> flags = new ArrayList<>();
    for (RecordComponent c : components) {
      if (c.getType() == boolean.class) {
        flags.add(c.getName());
      }
    }
    return flags;
  }

  RecordComponent component(String attribute) {
    return components.stream().filter(c -> c.getName().equals(attribute)).findFirst().orElse(null);
  }

  static Object get(RecordComponent component, Object record) {
    try {
      return component.getAccessor().invoke(record);
    } catch (ReflectiveOperationException e) {
      throw new HeddleBug(
          "attribute " + component.getName() + " of " + record + " cannot be read", e);
    }
  }

  /** The record with these attribute values, in order; null if its constructor refuses them. */
  Object create(List<Object> values) {
    try {
      return constructor.newInstance(values.toArray());
    } catch (InvocationTargetException e) {
      return null;
    } catch (ReflectiveOperationException e) {
      throw new HeddleBug("op " + name + " cannot be made", e);
    }
  }
}
