package dev.heddle.tests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A tiny model with random weights and what another implementation computed with it
 * (tests/goldens/README.md).
 *
 * @param name file name without ending
 * @param gguf the model
 * @param prompts three prompts of 1, 17 and 64 ids
 * @param greedy for each prompt its 32 greedy ids
 * @param routerLayers layers with routed experts, in order; empty for dense models
 * @param bound how far a logit may be from the reference's: 1e-4 + 10 x the reference's own f32
 *     noise
 * @param tensors reference values
 */
record Golden(
    String name,
    Path gguf,
    int[][] prompts,
    int[][] greedy,
    int[] routerLayers,
    double bound,
    Safetensors tensors) {

  static final Path FOLDER = Path.of("goldens").toAbsolutePath();

  /** Every golden of the folder, by name. */
  static Stream<Golden> all() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      List<Path> found = files.filter(f -> f.toString().endsWith(".safetensors")).sorted().toList();
      return found.stream().map(f -> read(f.getFileName().toString().replace(".safetensors", "")));
    }
  }

  /** The golden of this name. */
  static Golden read(String name) {
    JsonNode json = JsonMapper.shared().readTree(FOLDER.resolve(name + ".json"));
    return new Golden(
        name,
        FOLDER.resolve(name + ".gguf"),
        intRows(json.get("prompts")),
        intRows(json.get("greedy")),
        json.has("router_layers") ? ints(json.get("router_layers")) : new int[0],
        1e-4 + 10 * json.get("f32_noise").get("step_vs_whole").asDouble(),
        Safetensors.read(FOLDER.resolve(name + ".safetensors")));
  }

  static int[] ints(JsonNode array) {
    int[] values = new int[array.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = array.get(i).asInt();
    }
    return values;
  }

  static int[][] intRows(JsonNode array) {
    int[][] rows = new int[array.size()][];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = ints(array.get(i));
    }
    return rows;
  }
}
