package dev.heddle.compiler.spec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.heddle.ir.DType;
import dev.heddle.ir.Verifier;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Whatever a file says of its model, the answer is a graph or a {@link SpecException}. */
class LyingFilesTest {
  private static final long SEED = 20260202;
  private static final int FILES = 800;
  private static final List<Object> LIES =
      List.of(
          0L,
          1L,
          -1L,
          3L,
          7L,
          4_294_967_295L,
          Long.MAX_VALUE,
          Long.MIN_VALUE,
          0.0,
          -2.5,
          Double.NaN,
          Double.POSITIVE_INFINITY,
          1e300,
          1f,
          true,
          false,
          "",
          "yarn",
          "longrope",
          "linear",
          List.of(),
          List.of(2L),
          List.of(2L, 4L, 8L),
          List.of("a", "b"),
          new long[] {1, 2},
          new boolean[] {true, false},
          new float[] {1f, Float.NaN});
  private static final List<String> KEYS =
      List.of(
          "block_count",
          "embedding_length",
          "feed_forward_length",
          "attention.head_count",
          "attention.head_count_kv",
          "attention.key_length",
          "attention.value_length",
          "rope.dimension_count",
          "rope.freq_base",
          "expert_count",
          "expert_used_count",
          "expert_feed_forward_length",
          "expert_gating_func",
          "expert_weights_norm",
          "context_length",
          "rope.scaling.type",
          "rope.scaling.factor",
          "rope.scaling.original_context_length",
          "rope.scale_linear",
          "rope.scaling.attn_factor",
          "attention.layer_norm_rms_epsilon",
          "attention.scale",
          "attention.causal");

  @Test
  void liesGiveAGraphOrASentence() {
    List<Spec> specs =
        List.of(TestSpecs.spec("llama"), TestSpecs.spec("qwen3"), TestSpecs.spec("qwen3moe"));
    List<FakeFile> truths = new ArrayList<>();
    specs.forEach(s -> truths.add(FakeFile.of(s, s.model().equals("llama") ? "tiny-moe" : "tiny")));
    int compiled = 0;
    for (int i = 0; i < FILES; i++) {
      SplittableRandom random = new SplittableRandom(SEED + i);
      int chosen = random.nextInt(specs.size());
      Spec spec = specs.get(chosen);
      FakeFile file = truths.get(chosen).copy();
      lie(file, spec.model(), random);
      try {
        Verifier.verify(SpecCompiler.compile(spec, file, CompileOptions.DEFAULT).main());
        compiled++;
      } catch (SpecException e) {
        assertTrue(e.getMessage().contains("error: ") || e.diagnostics().isEmpty(), e.getMessage());
      } catch (RuntimeException | StackOverflowError e) {
        fail("seed " + (SEED + i) + ": " + e, e);
      }
    }
    assertTrue(compiled > 0 && compiled < FILES, compiled + " of " + FILES + " compiled");
  }

  private static void lie(FakeFile file, String model, SplittableRandom random) {
    int lies = 1 + random.nextInt(3);
    for (int i = 0; i < lies; i++) {
      List<String> names = new ArrayList<>(file.tensorNames());
      String name = names.get(random.nextInt(names.size()));
      String key = model + "." + KEYS.get(random.nextInt(KEYS.size()));
      switch (random.nextInt(6)) {
        case 0, 1, 2 -> file.with(key, LIES.get(random.nextInt(LIES.size())));
        case 3 -> file.without(key);
        case 4 -> file.drop(n -> n.equals(name));
        default -> {
          String target = random.nextInt(4) == 0 ? name.replace(".weight", ".scale") : name;
          long[] ne = new long[random.nextInt(5)];
          for (int d = 0; d < ne.length; d++) {
            ne[d] = random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(100);
          }
          file.tensor(target, DType.values()[random.nextInt(DType.values().length)], ne);
        }
      }
    }
  }

  @Test
  void hugeBlockCountIsNoHugeAllocation() {
    Spec spec = TestSpecs.spec("qwen3");
    FakeFile file = FakeFile.of(spec, "tiny").with("qwen3.block_count", 4_294_967_295L);
    String sentence = TestSpecs.fault(spec, file).lines().findFirst().orElseThrow();
    assertEquals(
        "'H' would have 4294967295 entries; at most 10000 are believed",
        sentence.substring(sentence.indexOf("error: ") + 7));
  }
}
