package dev.heddle.gguf;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A file's header as it grows. */
final class HeaderBytes {
  private static final int VERSION = 3;
  private static final int MAX_DIMS = 4;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private HeaderBytes() {}

  /**
   * The bytes before the first tensor, padded: counts, metadata, and the tensors' shapes, types and
   * offsets.
   */
  static byte[] of(
      Map<String, GgufValue> metadata, List<GgufWriter.Tensor> tensors, long alignment) {
    HeaderBytes out = new HeaderBytes();
    out.raw("GGUF".getBytes(StandardCharsets.US_ASCII));
    out.u32(VERSION);
    out.u64(tensors.size());
    out.u64(metadata.size());
    metadata.forEach((key, value) -> {
      out.text(key);
      out.u32(value.type().id());
      out.value(value);
    });
    Set<String> names = new HashSet<>();
    long offset = 0;
    for (GgufWriter.Tensor t : tensors) {
      if (!names.add(t.name()) || t.ne().length > MAX_DIMS || t.type().ggmlId() < 0) {
        throw new IllegalArgumentException(
            "tensor "
                + t.name()
                + " of "
                + t.ne().length
                + " dimensions, type "
                + t.type()
                + ": a name twice, too many dimensions or no file's type");
      }
      out.text(t.name());
      out.u32(t.ne().length);
      for (long n : t.ne()) {
        out.u64(n);
      }
      out.u32(t.type().ggmlId());
      out.u64(offset);
      offset += GgufWriter.padded(t.bytes(), alignment);
    }
    return out.padded(alignment);
  }

  private void raw(byte[] bytes) {
    out.writeBytes(bytes);
  }

  private void integer(long value, int bytes) {
    for (int i = 0; i < bytes; i++) {
      out.write((int) (value >>> 8 * i));
    }
  }

  private void u32(long value) {
    integer(value, 4);
  }

  private void u64(long value) {
    integer(value, 8);
  }

  private void text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    u64(bytes.length);
    raw(bytes);
  }

  private void real(GgufValue.Type type, double value) {
    if (type == GgufValue.Type.F32) {
      u32(Float.floatToRawIntBits((float) value));
    } else {
      u64(Double.doubleToRawLongBits(value));
    }
  }

  private void value(GgufValue value) {
    switch (value) {
      case GgufValue.Int(GgufValue.Type type, long number) -> integer(number, type.bytes());
      case GgufValue.Real(GgufValue.Type type, double number) -> real(type, number);
      case GgufValue.Bool(boolean flag) -> integer(flag ? 1 : 0, 1);
      case GgufValue.Text(String text) -> text(text);
      case GgufValue.Array array -> {
        u32(array.elementType().id());
        u64(array.size());
        elements(array);
      }
    }
  }

  private void elements(GgufValue.Array array) {
    switch (array) {
      case GgufValue.Ints(GgufValue.Type type, long[] values) -> {
        for (long value : values) {
          integer(value, type.bytes());
        }
      }
      case GgufValue.Reals(GgufValue.Type type, double[] values) -> {
        for (double value : values) {
          real(type, value);
        }
      }
      case GgufValue.Bools(boolean[] values) -> {
        for (boolean value : values) {
          integer(value ? 1 : 0, 1);
        }
      }
      case GgufValue.Texts(List<String> values) -> values.forEach(this::text);
    }
  }

  private byte[] padded(long alignment) {
    raw(new byte[(int) (GgufWriter.padded(out.size(), alignment) - out.size())]);
    return out.toByteArray();
  }
}
