package dev.heddle.gguf;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tensors of a safetensors file, for tests: the header is read by a pattern that fits what the
 * golden files hold.
 */
record Safetensors(Map<String, byte[]> tensors) {
  private static final Pattern ENTRY =
      Pattern.compile(
          "\"([^\"]+)\"\\s*:\\s*\\{[^{}]*\"data_offsets\"\\s*:\\s*\\[(\\d+),\\s*(\\d+)]");

  static Safetensors read(Path path) throws IOException {
    byte[] all = Files.readAllBytes(path);
    MemorySegment bytes = MemorySegment.ofArray(all);
    int header = (int) bytes.get(Bytes.I64, 0);
    Matcher entry = ENTRY.matcher(new String(all, 8, header, StandardCharsets.UTF_8));
    Map<String, byte[]> tensors = new LinkedHashMap<>();
    while (entry.find()) {
      int from = 8 + header + Integer.parseInt(entry.group(2));
      int to = 8 + header + Integer.parseInt(entry.group(3));
      tensors.put(entry.group(1), java.util.Arrays.copyOfRange(all, from, to));
    }
    return new Safetensors(tensors);
  }

  boolean has(String name) {
    return tensors.containsKey(name);
  }

  byte[] bytes(String name) {
    return tensors.get(name);
  }

  MemorySegment segment(String name) {
    return MemorySegment.ofArray(tensors.get(name));
  }

  float[] floats(String name) {
    return segment(name)
        .toArray(ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(java.nio.ByteOrder.LITTLE_ENDIAN));
  }
}
