package dev.heddle.gguf;

import static dev.heddle.gguf.GgufException.number;
import static dev.heddle.gguf.GgufException.quoted;

import dev.heddle.ir.DType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads one container from its bytes and checks all that it promises. */
final class GgufParser {
  private static final int MAGIC = 0x46554747;
  private static final int DEFAULT_ALIGNMENT = 32;
  private static final int MAX_DIMS = 4;

  /**
   * The smallest entries that can be: an empty key with a one-byte value; an empty name without
   * dimensions.
   */
  private static final int LEAST_ENTRY = 8 + 4 + 1;

  private static final int LEAST_TENSOR = 8 + 4 + 4 + 8;

  /** What a container holds; {@code bytes} is the file's size. */
  record Container(
      int version, Map<String, GgufValue> metadata, List<GgufTensor> tensors, long bytes) {}

  private record Info(String name, DType type, long[] ne, long offset, long bytes) {
    long end() {
      return offset + bytes;
    }
  }

  private final String file;
  private final MemorySegment bytes;
  private final Cursor in;

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
    in.limit(tensorCount, GgufLimits.ENTRIES, "tensors");
    in.limit(entryCount, GgufLimits.ENTRIES, "metadata entries");
    Map<String, GgufValue> metadata = new MetadataParser(file, in).parse(entryCount);
    long alignment = alignment(metadata);
    List<Info> infos = infos(tensorCount, alignment);
    return new Container(version, metadata, tensors(infos, alignment), bytes.byteSize());
  }

  private int header() {
    int magic = in.i32("the magic number");
    if (magic != MAGIC) {
      throw new GgufException(
          file
              + ": starts with the bytes "
              + "%08x".formatted(Integer.reverseBytes(magic))
              + " and not with 'GGUF', so it is no GGUF file; give a .gguf file or convert the model");
    }
    int version = in.i32("the version");
    if (version == 2 || version == 3) {
      return version;
    }
    if (version == 1) {
      throw new GgufException(
          file
              + ": GGUF version 1 (32-bit lengths) is not read, only 2 and 3; convert the model again");
    }
    int swapped = Integer.reverseBytes(version);
    if (swapped >= 1 && swapped <= 3) {
      throw new GgufException(
          file
              + ": the file is big-endian (version "
              + swapped
              + " with its bytes swapped), heddle reads little-endian files; convert the model again without --bigendian");
    }
    throw new GgufException(
        file
            + ": GGUF version "
            + Integer.toUnsignedString(version)
            + " is unknown, heddle reads 2 and 3; fetch a newer heddle");
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
      throw in.damaged(
          "metadata 'general.alignment' is "
              + number(alignment)
              + " of type "
              + type
              + ", not a power of two of type U32");
    }
    throw in.damaged("metadata 'general.alignment' is a " + value.type() + ", not a U32");
  }

  private List<Info> infos(long count, long alignment) {
    List<Info> infos = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (long i = 0; i < count; i++) {
      String name = in.name("the name of tensor " + number(i));
      if (!names.add(name)) {
        throw in.damaged("tensor " + quoted(name) + " is there twice");
      }
      infos.add(info(name, alignment));
      in.limit(in.position(), GgufLimits.HEADER_BYTES, "bytes of header");
    }
    return infos;
  }

  private Info info(String name, long alignment) {
    String what = "tensor " + quoted(name);
    int dims = in.i32(what);
    if (dims < 0 || dims > MAX_DIMS) {
      throw in.damaged(
          what
              + " has "
              + Integer.toUnsignedString(dims)
              + " dimensions, at most "
              + MAX_DIMS
              + " are possible");
    }
    long[] ne = new long[dims];
    for (int i = 0; i < dims; i++) {
      ne[i] = in.i64(what);
    }
    int typeId = in.i32(what);
    long offset = in.i64(what);
    DType type =
        DType.ofGgml(typeId)
            .orElseThrow(() ->
                new GgufException(
                    file
                        + ": "
                        + what
                        + " has type "
                        + Integer.toUnsignedString(typeId)
                        + ", which heddle does not know; fetch the model in another quantisation, or a newer heddle"));
    long size = size(what, type, ne);
    if (offset < 0 || offset % alignment != 0) {
      throw in.damaged(
          what
              + " starts at offset "
              + (offset < 0 ? Long.toUnsignedString(offset) : number(offset))
              + ", which is no multiple of the alignment "
              + number(alignment));
    }
    return new Info(name, type, ne, offset, size);
  }

  private long size(String what, DType type, long[] ne) {
    long rows = 1;
    for (int i = 0; i < ne.length; i++) {
      if (ne[i] <= 0) {
        throw in.damaged(what + " has dimension " + i + " of " + Long.toUnsignedString(ne[i]));
      }
      if (i > 0) {
        rows = product(what, ne, rows, ne[i]);
      }
    }
    long length = ne.length == 0 ? 1 : ne[0];
    if (length % type.blockSize() != 0) {
      throw in.damaged(
          what
              + " has rows of "
              + number(length)
              + " values, which are not whole blocks of "
              + type.blockSize()
              + " ("
              + type
              + ")");
    }
    product(what, ne, length, rows);
    return product(what, ne, product(what, ne, length / type.blockSize(), rows), type.blockBytes());
  }

  private long product(String what, long[] ne, long a, long b) {
    if (a > Long.MAX_VALUE / b) {
      throw in.damaged(
          what
              + " of dimensions "
              + java.util.Arrays.toString(ne)
              + " has more values than 64 bits can count");
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
        long end =
            start
                + Math.min(info.offset, Long.MAX_VALUE / 4)
                + Math.min(info.bytes, Long.MAX_VALUE / 4);
        throw new GgufException(
            file
                + ": tensor "
                + quoted(info.name)
                + " ends at byte "
                + number(end)
                + ", the file has "
                + number(bytes.byteSize())
                + ": the download is cut; fetch it again");
      }
    }
    List<Info> byOffset = new ArrayList<>(infos);
    byOffset.sort(Comparator.comparingLong(Info::offset));
    for (int i = 1; i < byOffset.size(); i++) {
      Info before = byOffset.get(i - 1);
      Info after = byOffset.get(i);
      if (after.offset < before.end()) {
        throw in.damaged(
            "tensors "
                + quoted(before.name)
                + " and "
                + quoted(after.name)
                + " overlap at offset "
                + number(after.offset)
                + " (the first ends at "
                + number(before.end())
                + ")");
      }
    }
    List<GgufTensor> tensors = new ArrayList<>();
    for (Info info : infos) {
      tensors.add(
          new GgufTensor(
              info.name, info.type, info.ne, bytes.asSlice(start + info.offset, info.bytes)));
    }
    return tensors;
  }
}
