package dev.heddle.tests;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What another implementation computed with a trained model, on its stored values in float32.
 *
 * @param name the model
 * @param gguf its file
 * @param prompts texts and everything computed for them
 * @param perplexity of heldout.txt
 */
record Reference(String name, Path gguf, List<Prompt> prompts, double perplexity) {

  /** Tokens in a perplexity window. */
  static final int WINDOW = 512;

  static final Path HELDOUT = Golden.FOLDER.resolve("heldout.txt");

  /**
   * A prompt.
   *
   * @param name its name
   * @param text with special tokens to be recognised
   * @param ids its tokens
   * @param topIds for each position the ids of the 20 largest logits and
   * @param topLogits their logits
   * @param experts for each layer and position the chosen experts, best first; empty for dense
   *     models
   * @param expertMargin for each layer and position the last chosen probability minus the next one
   * @param greedy 64 greedy ids, no stop token heeded
   * @param greedyMargin best minus second logit at each of them
   */
  record Prompt(
      String name,
      String text,
      int[] ids,
      int[][] topIds,
      float[][] topLogits,
      int[][][] experts,
      float[][] expertMargin,
      int[] greedy,
      float[] greedyMargin) {}

  /** The reference of {@code tiny-NAME}. */
  static Reference read(String name) {
    JsonNode json = JsonMapper.shared().readTree(Golden.FOLDER.resolve(name + ".reference.json"));
    List<Prompt> prompts = new ArrayList<>();
    for (JsonNode prompt : json.get("prompts")) {
      int n = prompt.get("top20").size();
      int[][] topIds = new int[n][];
      float[][] topLogits = new float[n][];
      for (int t = 0; t < n; t++) {
        topIds[t] = Golden.ints(prompt.get("top20").get(t).get("ids"));
        topLogits[t] = floats(prompt.get("top20").get(t).get("logits"));
      }
      int layers = prompt.has("experts") ? prompt.get("experts").size() : 0;
      int[][][] experts = new int[layers][][];
      float[][] margin = new float[layers][];
      for (int l = 0; l < layers; l++) {
        experts[l] = Golden.intRows(prompt.get("experts").get(l));
        margin[l] = floats(prompt.get("expert_margin").get(l));
      }
      prompts.add(
          new Prompt(
              prompt.get("name").asString(),
              prompt.get("text").asString(),
              Golden.ints(prompt.get("ids")),
              topIds,
              topLogits,
              experts,
              margin,
              Golden.ints(prompt.get("greedy").get("ids")),
              floats(prompt.get("greedy").get("margin"))));
    }
    Path models = Golden.FOLDER.getParent().resolveSibling("model-specs").resolve("models");
    return new Reference(
        name,
        models.resolve(name + ".gguf"),
        prompts,
        json.get("perplexity").get("ppl").asDouble());
  }

  private static float[] floats(JsonNode array) {
    float[] values = new float[array.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) array.get(i).asDouble();
    }
    return values;
  }
}
