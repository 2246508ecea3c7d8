package dev.heddle.gguf;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A metadata value with its type in the file. Arrays hold their elements widened to one Java type;
 * their element type is kept, so that a value written again gives the same bytes. The arrays inside
 * are shared, not copied: nobody changes them.
 */
public sealed interface GgufValue {

  /** The value's type in the file. */
  Type type();

  /** Value types with their ids and sizes in the file; size 0 = variable. */
  enum Type {
    U8(0, 1),
    I8(1, 1),
    U16(2, 2),
    I16(3, 2),
    U32(4, 4),
    I32(5, 4),
    F32(6, 4),
    BOOL(7, 1),
    STRING(8, 0),
    ARRAY(9, 0),
    U64(10, 8),
    I64(11, 8),
    F64(12, 8);

    private final int id;
    private final int bytes;

    Type(int id, int bytes) {
      this.id = id;
      this.bytes = bytes;
    }

    /** The id in the file. */
    public int id() {
      return id;
    }

    /** Bytes of one value, or 0 if they vary. */
    public int bytes() {
      return bytes;
    }

    /** True for the eight integer types. */
    public boolean isInteger() {
      return bytes > 0 && this != F32 && this != F64 && this != BOOL;
    }

    /** The type with this id. */
    public static Optional<Type> of(int id) {
      return id >= 0 && id < values().length ? Optional.of(values()[id]) : Optional.empty();
    }
  }

  /** An integer; a {@link Type#U64} of 2^63 or more is negative here. */
  record Int(Type type, long value) implements GgufValue {
    public Int {
      require(type.isInteger(), type);
    }
  }

  /** A float: {@link Type#F32} or {@link Type#F64}. */
  record Real(Type type, double value) implements GgufValue {
    public Real {
      require(type == Type.F32 || type == Type.F64, type);
    }
  }

  /** A boolean. */
  record Bool(boolean value) implements GgufValue {
    @Override
    public Type type() {
      return Type.BOOL;
    }
  }

  /** A string. Bytes that are no UTF-8 were replaced by U+FFFD. */
  record Text(String value) implements GgufValue {
    @Override
    public Type type() {
      return Type.STRING;
    }
  }

  /** An array. */
  sealed interface Array extends GgufValue {
    /** The type of each element. */
    Type elementType();

    /** The number of elements. */
    int size();

    @Override
    default Type type() {
      return Type.ARRAY;
    }
  }

  /** An array of integers. */
  record Ints(Type elementType, long[] values) implements Array {
    public Ints {
      require(elementType.isInteger(), elementType);
    }

    @Override
    public int size() {
      return values.length;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Ints that
          && elementType == that.elementType
          && Arrays.equals(values, that.values);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(values);
    }

    @Override
    public String toString() {
      return "Ints[" + elementType + ", " + values.length + " values]";
    }
  }

  /** An array of floats. */
  record Reals(Type elementType, double[] values) implements Array {
    public Reals {
      require(elementType == Type.F32 || elementType == Type.F64, elementType);
    }

    @Override
    public int size() {
      return values.length;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Reals that
          && elementType == that.elementType
          && Arrays.equals(values, that.values);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(values);
    }

    @Override
    public String toString() {
      return "Reals[" + elementType + ", " + values.length + " values]";
    }
  }

  /** An array of booleans. */
  record Bools(boolean[] values) implements Array {
    @Override
    public Type elementType() {
      return Type.BOOL;
    }

    @Override
    public int size() {
      return values.length;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Bools that && Arrays.equals(values, that.values);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(values);
    }

    @Override
    public String toString() {
      return "Bools[" + values.length + " values]";
    }
  }

  /** An array of strings. */
  record Texts(List<String> values) implements Array {
    @Override
    public Type elementType() {
      return Type.STRING;
    }

    @Override
    public int size() {
      return values.size();
    }

    @Override
    public String toString() {
      return "Texts[" + values.size() + " values]";
    }
  }

  /** A {@code u32}, the type of most counts. */
  static GgufValue u32(long value) {
    return new Int(Type.U32, value);
  }

  /** An {@code f32}. */
  static GgufValue f32(double value) {
    return new Real(Type.F32, value);
  }

  /** A boolean. */
  static GgufValue bool(boolean value) {
    return new Bool(value);
  }

  /** A string. */
  static GgufValue text(String value) {
    return new Text(value);
  }

  /** An array of {@code i32}. */
  static GgufValue i32s(long... values) {
    return new Ints(Type.I32, values);
  }

  /** An array of strings. */
  static GgufValue texts(List<String> values) {
    return new Texts(values);
  }

  private static void require(boolean holds, Type type) {
    if (!holds) {
      throw new IllegalArgumentException("type " + type + " does not fit this kind of value");
    }
  }
}
