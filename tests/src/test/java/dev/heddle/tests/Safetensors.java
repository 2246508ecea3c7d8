package dev.heddle.tests;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A safetensors file in memory: 8 bytes of header length, a JSON header, the data; all
 * little-endian, rows first.
 */
final class Safetensors {
  private record Entry(String type, int[] shape, int from, int to) {}

  private final Path path;
  private final Map<String, Entry> entries = new TreeMap<>();
  private final ByteBuffer data;

  private Safetensors(Path path, byte[] bytes) {
    this.path = path;
    ByteBuffer all = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int header = Math.toIntExact(all.getLong(0));
    JsonNode json =
        JsonMapper.shared().readTree(new String(bytes, 8, header, StandardCharsets.UTF_8));
    json.properties()
        .forEach(e -> {
          if (!e.getKey().equals("__metadata__")) {
            JsonNode offsets = e.getValue().get("data_offsets");
            entries.put(
                e.getKey(),
                new Entry(
                    e.getValue().get("dtype").asString(),
                    ints(e.getValue().get("shape")),
                    offsets.get(0).asInt(),
                    offsets.get(1).asInt()));
          }
        });
    data = all.slice(8 + header, bytes.length - 8 - header).order(ByteOrder.LITTLE_ENDIAN);
  }

  static Safetensors read(Path path) {
    try {
      return new Safetensors(path, Files.readAllBytes(path));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Shape of a tensor. */
  int[] shape(String name) {
    return entry(name).shape().clone();
  }

  /** An F32 tensor of two dimensions. */
  float[][] rows(String name) {
    Entry entry = entry(name);
    check(entry, name, "F32", 2);
    float[][] rows = new float[entry.shape()[0]][entry.shape()[1]];
    ByteBuffer from =
        data.slice(entry.from(), entry.to() - entry.from()).order(ByteOrder.LITTLE_ENDIAN);
    for (float[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        row[i] = from.getFloat();
      }
    }
    return rows;
  }

  /** An I32 tensor of three dimensions. */
  int[][][] cube(String name) {
    Entry entry = entry(name);
    check(entry, name, "I32", 3);
    int[][][] cube = new int[entry.shape()[0]][entry.shape()[1]][entry.shape()[2]];
    ByteBuffer from =
        data.slice(entry.from(), entry.to() - entry.from()).order(ByteOrder.LITTLE_ENDIAN);
    for (int[][] plane : cube) {
      for (int[] row : plane) {
        for (int i = 0; i < row.length; i++) {
          row[i] = from.getInt();
        }
      }
    }
    return cube;
  }

  private Entry entry(String name) {
    Entry entry = entries.get(name);
    if (entry == null) {
      throw new IllegalArgumentException(
          path + " has no tensor " + name + ", only " + entries.keySet());
    }
    return entry;
  }

  private void check(Entry entry, String name, String type, int rank) {
    if (!entry.type().equals(type) || entry.shape().length != rank) {
      throw new IllegalArgumentException(
          path + ": " + name + " is " + entry.type() + " of rank " + entry.shape().length);
    }
  }

  private static int[] ints(JsonNode array) {
    int[] values = new int[array.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = array.get(i).asInt();
    }
    return values;
  }
}
