package dev.heddle.gguf;

import static dev.heddle.gguf.GgufException.number;
import static dev.heddle.gguf.GgufException.quoted;

import dev.heddle.ir.DType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads one container from its bytes and checks all that it promises. */
final class GgufParser {
  private static final int MAGIC = 0x46554747;
  private static final int DEFAULT_ALIGNMENT = 32;
  private static final int MAX_DIMS = 4;

  /** The smallest entries that can be: an empty key with a one-byte value; an empty name without dimensions. */
  private static final int LEAST_ENTRY = 8 + 4 + 1;

  private static final int LEAST_TENSOR = 8 + 4 + 4 + 8;

  /** What a container holds; {@code bytes} is the file's size. */
  record Container(int version, Map<String, GgufValue> metadata, List<GgufTensor> tensors, long bytes) {}

  private record Info(String name, DType type, long[] ne, long offset, long bytes) {
    long end() {
      return offset + bytes;
    }
  }

  private final String file;
  private final MemorySegment bytes;
  private final Cursor in;
  private int elements;

  GgufParser(String file, MemorySegment bytes) {
    this.file = file;
    this.bytes = bytes;
    this.in = new Cursor(file, bytes);
  }

  Container parse() {
    int version = header();
    long tensorCount = in.i64("the tensor count");
    long entryCount = in.i64("the metadata count");
    in.expect(tensorCount, LEAST_TENSOR, "the tensor count");
    in.expect(entryCount, LEAST_ENTRY, "the metadata count");
    limit(tensorCount, GgufLimits.ENTRIES, "tensors");
    limit(entryCount, GgufLimits.ENTRIES, "metadata entries");
    Map<String, GgufValue> metadata = metadata(entryCount);
    long alignment = alignment(metadata);
    List<Info> infos = infos(tensorCount, alignment);
    return new Container(version, metadata, tensors(infos, alignment), bytes.byteSize());
  }

  private int header() {
    int magic = in.i32("the magic number");
    if (magic != MAGIC) {
      throw new GgufException(file + ": starts with the bytes " + "%08x".formatted(Integer.reverseBytes(magic))
          + " and not with 'GGUF', so it is no GGUF file; give a .gguf file or convert the model");
    }
    int version = in.i32("the version");
    if (version == 2 || version == 3) {
      return version;
    }
    if (version == 1) {
      throw new GgufException(file + ": GGUF version 1 (32-bit lengths) is not read, only 2 and 3; convert the model again");
    }
    int swapped = Integer.reverseBytes(version);
    if (swapped >= 1 && swapped <= 3) {
      throw new GgufException(file + ": the file is big-endian (version " + swapped
          + " with its bytes swapped), heddle reads little-endian files; convert the model again without --bigendian");
    }
    throw new GgufException(
        file + ": GGUF version " + Integer.toUnsignedString(version) + " is unknown, heddle reads 2 and 3; fetch a newer heddle");
  }

  private Map<String, GgufValue> metadata(long count) {
    Map<String, GgufValue> values = new LinkedHashMap<>();
    for (long i = 0; i < count; i++) {
      String key = in.name("the key of metadata entry " + number(i));
      if (key.isEmpty()) {
        throw damaged("the key of metadata entry " + number(i) + " is empty");
      }
      GgufValue value = value("metadata " + quoted(key));
      if (values.put(key, value) != null) {
        throw damaged("metadata " + quoted(key) + " is there twice");
      }
      limit(in.position(), GgufLimits.HEADER_BYTES, "bytes of metadata");
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
      throw damaged(what + " is an array of arrays, which no model's metadata has");
    }
    long count = in.i64(what);
    in.expect(count, element == GgufValue.Type.STRING ? 8 : element.bytes(), what);
    limit(count, GgufLimits.ARRAY_ELEMENTS, "elements of " + what);
    int size = (int) count;
    elements += size;
    limit(elements, GgufLimits.TOTAL_ELEMENTS, "elements of metadata arrays");
    return switch (element) {
      case STRING -> {
        List<String> texts = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
          texts.add(in.text(what));
          limit(in.position(), GgufLimits.HEADER_BYTES, "bytes of metadata");
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
      case ARRAY -> throw damaged(what + " is an array of arrays");
    };
  }

  private GgufValue.Type type(String what) {
    int id = in.i32(what);
    return GgufValue.Type.of(id).orElseThrow(() -> new GgufException(
        file + ": " + what + " has value type " + Integer.toUnsignedString(id) + ", known are 0 to 12: the file is damaged "
            + "or newer than heddle; fetch it again or fetch a newer heddle"));
  }

  private boolean bool(String what) {
    int value = in.u8(what);
    if (value > 1) {
      throw damaged(what + " is a boolean of value " + value + ", not 0 or 1");
    }
    return value == 1;
  }

  private double real(GgufValue.Type type, String what) {
    return type == GgufValue.Type.F32 ? Float.intBitsToFloat(in.i32(what)) : Double.longBitsToDouble(in.i64(what));
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
      case F32, F64, BOOL, STRING, ARRAY -> throw new IllegalArgumentException("no integer type: " + type);
    };
  }

  private long alignment(Map<String, GgufValue> metadata) {
    GgufValue value = metadata.get("general.alignment");
    if (value == null) {
      return DEFAULT_ALIGNMENT;
    }
    if (value instanceof GgufValue.Int(GgufValue.Type type, long alignment)) {
      if (type == GgufValue.Type.U32 && Long.bitCount(alignment) == 1) {
        return alignment;
      }
      throw damaged("metadata 'general.alignment' is " + number(alignment) + " of type " + type + ", not a power of two of type U32");
    }
    throw damaged("metadata 'general.alignment' is a " + value.type() + ", not a U32");
  }

  private List<Info> infos(long count, long alignment) {
    List<Info> infos = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (long i = 0; i < count; i++) {
      String name = in.name("the name of tensor " + number(i));
      if (!names.add(name)) {
        throw damaged("tensor " + quoted(name) + " is there twice");
      }
      infos.add(info(name, alignment));
      limit(in.position(), GgufLimits.HEADER_BYTES, "bytes of header");
    }
    return infos;
  }

  private Info info(String name, long alignment) {
    String what = "tensor " + quoted(name);
    int dims = in.i32(what);
    if (dims < 0 || dims > MAX_DIMS) {
      throw damaged(what + " has " + Integer.toUnsignedString(dims) + " dimensions, at most " + MAX_DIMS + " are possible");
    }
    long[] ne = new long[dims];
    for (int i = 0; i < dims; i++) {
      ne[i] = in.i64(what);
    }
    int typeId = in.i32(what);
    long offset = in.i64(what);
    DType type = DType.ofGgml(typeId).orElseThrow(() -> new GgufException(
        file + ": " + what + " has type " + Integer.toUnsignedString(typeId)
            + ", which heddle does not know; fetch the model in another quantisation, or a newer heddle"));
    long size = size(what, type, ne);
    if (offset < 0 || offset % alignment != 0) {
      throw damaged(what + " starts at offset " + (offset < 0 ? Long.toUnsignedString(offset) : number(offset))
          + ", which is no multiple of the alignment " + number(alignment));
    }
    return new Info(name, type, ne, offset, size);
  }

  private long size(String what, DType type, long[] ne) {
    long rows = 1;
    for (int i = 0; i < ne.length; i++) {
      if (ne[i] <= 0) {
        throw damaged(what + " has dimension " + i + " of " + Long.toUnsignedString(ne[i]));
      }
      if (i > 0) {
        rows = product(what, ne, rows, ne[i]);
      }
    }
    long length = ne.length == 0 ? 1 : ne[0];
    if (length % type.blockSize() != 0) {
      throw damaged(what + " has rows of " + number(length) + " values, which are not whole blocks of " + type.blockSize()
          + " (" + type + ")");
    }
    product(what, ne, length, rows);
    return product(what, ne, product(what, ne, length / type.blockSize(), rows), type.blockBytes());
  }

  private long product(String what, long[] ne, long a, long b) {
    if (a > Long.MAX_VALUE / b) {
      throw damaged(what + " of dimensions " + java.util.Arrays.toString(ne) + " has more values than 64 bits can count");
    }
    return a * b;
  }

  private List<GgufTensor> tensors(List<Info> infos, long alignment) {
    // Not beyond 2^63: the position is at most the header limit, and an alignment at most 2^31.
    long start = (in.position() + alignment - 1) / alignment * alignment;
    long room = bytes.byteSize() - start;
    for (Info info : infos) {
      if (info.offset > room || info.bytes > room - info.offset) {
        // Saturates, because a lie may promise an end beyond 64 bits.
        long end = start + Math.min(info.offset, Long.MAX_VALUE / 4) + Math.min(info.bytes, Long.MAX_VALUE / 4);
        throw new GgufException(
            file + ": tensor " + quoted(info.name) + " ends at byte " + number(end) + ", the file has " + number(bytes.byteSize())
                + ": the download is cut; fetch it again");
      }
    }
    List<Info> byOffset = new ArrayList<>(infos);
    byOffset.sort(Comparator.comparingLong(Info::offset));
    for (int i = 1; i < byOffset.size(); i++) {
      Info before = byOffset.get(i - 1);
      Info after = byOffset.get(i);
      if (after.offset < before.end()) {
        throw damaged("tensors " + quoted(before.name) + " and " + quoted(after.name) + " overlap at offset "
            + number(after.offset) + " (the first ends at " + number(before.end()) + ")");
      }
    }
    List<GgufTensor> tensors = new ArrayList<>();
    for (Info info : infos) {
      tensors.add(new GgufTensor(info.name, info.type, info.ne, bytes.asSlice(start + info.offset, info.bytes)));
    }
    return tensors;
  }

  private void limit(long value, long most, String what) {
    if (value > most) {
      throw damaged(number(value) + " " + what + " are more than the " + number(most) + " that heddle accepts");
    }
  }

  private GgufException damaged(String what) {
    return new GgufException(file + ": " + what + ": the file is damaged; fetch it again or convert the model again");
  }
}
