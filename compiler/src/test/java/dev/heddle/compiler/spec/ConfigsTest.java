package dev.heddle.compiler.spec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.gguf.Recipe;
import dev.heddle.ir.DType;
import dev.heddle.ir.Verifier;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigsTest {
  private static ModelGraph compile(String config) {
    SpecLibrary.ConfigIn found = SpecLibrary.requireConfig(config);
    return SpecCompiler.compile(
        found.spec(), config, TypeRecipe.of(Recipe.Q4_K_M), CompileOptions.DEFAULT);
  }

  @ParameterizedTest
  @CsvSource({
    "llama-3.1-8b, 32, 128256, 131072, 8030261312",
    "llama-3.2-1b, 16, 128256, 131072, 1235814432",
    "qwen3-0.6b, 28, 151936, 40960, 596049920",
    "qwen3-1.7b, 28, 151936, 40960, 1720574976",
    "qwen3-4b, 36, 151936, 40960, 4022468096",
    "qwen3-8b, 36, 151936, 40960, 8190735360",
    "qwen3-14b, 40, 151936, 40960, 14768307200",
    "qwen3-32b, 64, 151936, 40960, 32762123264",
    "qwen3-30b-a3b, 48, 151936, 40960, 30532122624",
    "qwen3-235b-a22b, 94, 151936, 40960, 235093634560",
  })
  void realModelsHaveTheirSizes(
      String config, int layers, int vocabulary, int context, long parameters) {
    ModelGraph model = compile(config);
    Verifier.verify(model.main());
    assertEquals(layers, model.layers());
    assertEquals(vocabulary, model.vocabulary());
    assertEquals(context, model.contextLength());
    assertEquals(parameters, model.parameters());
    assertEquals(2 * layers, model.states().size());
  }

  @Test
  void qwen3WithEightBillionReadsItsTrunkAndHead() {
    ModelGraph model = compile("qwen3-8b");
    long trunk =
        model.weights().stream()
            .filter(w -> w.tensor().startsWith("blk.") && w.ne().size() == 2)
            .mapToLong(ModelGraph.WeightUse::values)
            .sum();
    long head =
        model.weights().stream()
            .filter(w -> w.tensor().equals("output.weight"))
            .mapToLong(ModelGraph.WeightUse::values)
            .sum();
    assertEquals(6_945_767_424L, trunk);
    assertEquals(622_329_856L, head);
  }

  @Test
  void recipeGivesTensorsTheirTypes() {
    ModelGraph model = compile("qwen3-8b");
    Map<String, DType> types = new HashMap<>();
    model.weights().forEach(w -> types.put(w.tensor(), w.stored()));
    assertEquals(DType.Q6_K, types.get("output.weight"));
    assertEquals(DType.Q4_K, types.get("token_embd.weight"));
    assertEquals(DType.Q6_K, types.get("blk.0.attn_v.weight"));
    assertEquals(DType.Q4_K, types.get("blk.0.attn_q.weight"));
    assertEquals(DType.F32, types.get("blk.0.attn_norm.weight"));
  }

  @Test
  void namesOfConfigsIgnoreCase() {
    assertEquals("qwen3-8b", SpecLibrary.requireConfig("Qwen3-8B").config().name());
  }

  @Test
  void wrongConfigNamesTheNearest() {
    SpecException e =
        assertThrows(SpecException.class, () -> SpecLibrary.requireConfig("qwen3-9b"));
    assertTrue(
        e.getMessage().startsWith("there is no config 'qwen3-9b' (did you mean 'qwen3-4b'?)"),
        e.getMessage());
    SpecException spec = assertThrows(SpecException.class, () -> SpecLibrary.require("qwen33"));
    assertTrue(
        spec.getMessage().startsWith("there is no built-in spec 'qwen33' (did you mean 'qwen3'?)"),
        spec.getMessage());
  }

  @Test
  void depthCanBeCut() {
    Spec spec = SpecLibrary.require("llama");
    CompileOptions shallow = CompileOptions.DEFAULT.withOverrides(Map.of("L", 3L));
    ModelGraph model =
        SpecCompiler.compile(spec, "llama-3.2-1b", TypeRecipe.of(Recipe.Q8_0), shallow);
    assertEquals(3, model.layers());
    assertEquals(3L, model.metadata().get("llama.block_count"));
    assertEquals(445_134_880L, model.parameters(), "0.45 B with an embedding of 128256 rows");
  }

  @Test
  void configDefinesItsRopeFactors() {
    float[] factors = compile("llama-3.1-8b").contents().get("rope_freqs.weight");
    assertEquals(64, factors.length);
    assertEquals(1f, factors[0]);
    assertEquals(8f, factors[63]);
    float[] middle = {factors[28], factors[29], factors[30], factors[34], factors[35]};
    assertArrayEquals(new float[] {1f, 1.2074839f, 1.5534146f, 5.2573266f, 8f}, middle, 1e-6f);
    assertEquals(32f, compile("llama-3.2-1b").contents().get("rope_freqs.weight")[31]);
  }

  @Test
  void tiedHeadIsTheEmbedding() {
    assertTrue(
        compile("qwen3-0.6b").weights().stream()
            .noneMatch(w -> w.tensor().equals("output.weight")));
    assertTrue(
        compile("qwen3-8b").weights().stream().anyMatch(w -> w.tensor().equals("output.weight")));
  }

  @Test
  void cachesTakeTheTypeAskedFor() {
    Spec spec = SpecLibrary.require("qwen3");
    ModelGraph model =
        SpecCompiler.compile(
            spec,
            "qwen3-0.6b",
            TypeRecipe.of(Recipe.F16),
            CompileOptions.DEFAULT.withKv(DType.Q8_0));
    assertEquals("q8_0[C, 8, 128]", model.states().get(0).type().toString());
    assertEquals("kc.0", model.states().get(0).name());
  }
}
