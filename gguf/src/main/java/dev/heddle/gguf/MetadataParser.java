package dev.heddle.gguf;

import static dev.heddle.gguf.GgufException.number;
import static dev.heddle.gguf.GgufException.quoted;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads a container's metadata: keys, and values of every type but arrays of arrays. */
final class MetadataParser {
  private final String file;
  private final Cursor in;
  private int elements;

  MetadataParser(String file, Cursor in) {
    this.file = file;
    this.in = in;
  }

  /** Reads {@code count} entries. */
  Map<String, GgufValue> parse(long count) {
    Map<String, GgufValue> values = new LinkedHashMap<>();
    for (long i = 0; i < count; i++) {
      String key = in.name("the key of metadata entry " + number(i));
      if (key.isEmpty()) {
        throw in.damaged("the key of metadata entry " + number(i) + " is empty");
      }
      GgufValue value = value("metadata " + quoted(key));
      if (values.put(key, value) != null) {
        throw in.damaged("metadata " + quoted(key) + " is there twice");
      }
      in.limit(in.position(), GgufLimits.HEADER_BYTES, "bytes of metadata");
    }
    return values;
  }

  private GgufValue value(String what) {
    GgufValue.Type type = type(what);
    return switch (type) {
      case STRING -> new GgufValue.Text(in.text(what));
      case BOOL -> new GgufValue.Bool(bool(what));
      case F32, F64 -> new GgufValue.Real(type, real(type, what));
      case U8, I8, U16, I16, U32, I32, U64, I64 -> new GgufValue.Int(type, integer(type, what));
      case ARRAY -> array(what);
    };
  }

  private GgufValue array(String what) {
    GgufValue.Type element = type(what + " (its elements)");
    if (element == GgufValue.Type.ARRAY) {
      throw in.damaged(what + " is an array of arrays, which no model's metadata has");
    }
    long count = in.i64(what);
    in.expect(count, element == GgufValue.Type.STRING ? 8 : element.bytes(), what);
    in.limit(count, GgufLimits.ARRAY_ELEMENTS, "elements of " + what);
    int size = (int) count;
    elements += size;
    in.limit(elements, GgufLimits.TOTAL_ELEMENTS, "elements of metadata arrays");
    return switch (element) {
      case STRING -> {
        List<String> texts = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
          texts.add(in.text(what));
          in.limit(in.position(), GgufLimits.HEADER_BYTES, "bytes of metadata");
        }
        yield new GgufValue.Texts(List.copyOf(texts));
      }
      case BOOL -> {
        boolean[] values = new boolean[size];
        for (int i = 0; i < size; i++) {
          values[i] = bool(what);
        }
        yield new GgufValue.Bools(values);
      }
      case F32, F64 -> {
        double[] values = new double[size];
        for (int i = 0; i < size; i++) {
          values[i] = real(element, what);
        }
        yield new GgufValue.Reals(element, values);
      }
      case U8, I8, U16, I16, U32, I32, U64, I64 -> {
        long[] values = new long[size];
        for (int i = 0; i < size; i++) {
          values[i] = integer(element, what);
        }
        yield new GgufValue.Ints(element, values);
      }
      case ARRAY -> throw in.damaged(what + " is an array of arrays");
    };
  }

  private GgufValue.Type type(String what) {
    int id = in.i32(what);
    return GgufValue.Type.of(id)
        .orElseThrow(() ->
            new GgufException(
                file
                    + ": "
                    + what
                    + " has value type "
                    + Integer.toUnsignedString(id)
                    + ", known are 0 to 12: the file is damaged "
                    + "or newer than heddle; fetch it again or fetch a newer heddle"));
  }

  private boolean bool(String what) {
    int value = in.u8(what);
    if (value > 1) {
      throw in.damaged(what + " is a boolean of value " + value + ", not 0 or 1");
    }
    return value == 1;
  }

  private double real(GgufValue.Type type, String what) {
    return type == GgufValue.Type.F32
        ? Float.intBitsToFloat(in.i32(what))
        : Double.longBitsToDouble(in.i64(what));
  }

  private long integer(GgufValue.Type type, String what) {
    return switch (type) {
      case U8 -> in.u8(what);
      case I8 -> (byte) in.u8(what);
      case U16 -> in.i16(what) & 0xffff;
      case I16 -> in.i16(what);
      case U32 -> in.i32(what) & 0xffffffffL;
      case I32 -> in.i32(what);
      case U64, I64 -> in.i64(what);
      case F32, F64, BOOL, STRING, ARRAY ->
          throw new IllegalArgumentException("no integer type: " + type);
    };
  }
}
