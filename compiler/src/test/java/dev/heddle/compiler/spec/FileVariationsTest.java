package dev.heddle.compiler.spec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.DType;
import dev.heddle.ir.Op;
import dev.heddle.ir.Verifier;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Files that exist in the wild (arch/qwen.md 11), as far as they concern llama, qwen3 and qwen3moe.
 */
class FileVariationsTest {
  private final Spec llama = TestSpecs.spec("llama");
  private final Spec qwen3 = TestSpecs.spec("qwen3");
  private final Spec qwen3moe = TestSpecs.spec("qwen3moe");

  private static ModelGraph compile(Spec spec, FakeFile file) {
    ModelGraph model = SpecCompiler.compile(spec, file, CompileOptions.DEFAULT);
    Verifier.verify(model.main());
    return model;
  }

  private static Op.Rope rope(Spec spec, FakeFile file) {
    return TestSpecs.ops(compile(spec, file).main(), Op.Rope.class).get(0);
  }

  private static List<Op.Weight> weights(ModelGraph model, String tensor) {
    return TestSpecs.ops(model.main(), Op.Weight.class).stream()
        .filter(w -> w.tensor().equals(tensor))
        .toList();
  }

  @Test
  void headIsTheEmbeddingWhereTheFileHasNoOutput() {
    FakeFile file = FakeFile.of(qwen3, "tiny").drop(n -> n.equals("output.weight"));
    assertEquals(1, weights(compile(qwen3, file), "token_embd.weight").size());
  }

  @Test
  void ropeFactorsOfTheFileAreRead() {
    FakeFile file = FakeFile.of(qwen3, "tiny");
    assertFalse(rope(qwen3, file).factors());
    assertTrue(rope(qwen3, file.tensor("rope_freqs.weight", DType.F32, 8)).factors());
  }

  @Test
  void oldRotationTensorsAreIgnoredWithOneWarning() {
    FakeFile file =
        FakeFile.of(llama, "tiny")
            .tensor("blk.0.attn_rot_embd.weight", DType.F32, 4)
            .tensor("blk.1.attn_rot_embd.weight", DType.F32, 4)
            .tensor("v.blk.0.ln1.weight", DType.F32, 4)
            .tensor("something.else", DType.F32, 4);
    assertEquals(
        List.of(
            "file.gguf: ignored 2 tensors 'blk.*.attn_rot_embd.weight', which this model does not need",
            "file.gguf: ignored 1 tensor 'v.*', which this model does not need",
            "file.gguf: ignored 1 tensor unknown to llama.model: 'something.else'"),
        compile(llama, file).warnings());
  }

  @Test
  void fusedQkvIsThreeRanges() {
    FakeFile file =
        FakeFile.of(qwen3, "tiny")
            .drop(n -> n.matches("blk\\.0\\.attn_[qkv]\\.weight"))
            .tensor("blk.0.attn_qkv.weight", DType.F16, 32, 128)
            .tensor("blk.0.attn_qkv.bias", DType.F32, 128);
    ModelGraph model = compile(qwen3, file);
    assertEquals(
        Set.of(
            new Op.Weight("blk.0.attn_qkv.weight", 0, 64),
            new Op.Weight("blk.0.attn_qkv.weight", 64, 96),
            new Op.Weight("blk.0.attn_qkv.weight", 96, 128)),
        Set.copyOf(weights(model, "blk.0.attn_qkv.weight")));
    assertEquals(3, weights(model, "blk.0.attn_qkv.bias").size());
    assertEquals(
        1,
        model.weights().stream().filter(w -> w.tensor().equals("blk.0.attn_qkv.weight")).count());
  }

  @Test
  void fusedQkvMayHaveThreeBiases() {
    FakeFile file =
        FakeFile.of(llama, "tiny")
            .drop(n -> n.matches("blk\\.0\\.attn_[qkv]\\..*"))
            .tensor("blk.0.attn_qkv.weight", DType.F16, 32, 64)
            .tensor("blk.0.attn_q.bias", DType.F32, 32)
            .tensor("blk.0.attn_k.bias", DType.F32, 16)
            .tensor("blk.0.attn_v.bias", DType.F32, 16);
    assertEquals(1, weights(compile(llama, file), "blk.0.attn_k.bias").size());
  }

  @Test
  void fusedExpertsAreOneProductCutInTwo() {
    FakeFile file =
        FakeFile.of(qwen3moe, "tiny")
            .drop(n -> n.matches("blk\\.\\d\\.ffn_(gate|up)_exps\\.weight"))
            .tensor("blk.0.ffn_gate_up_exps.weight", DType.F16, 32, 32, 8)
            .tensor("blk.1.ffn_gate_up_exps.weight", DType.F16, 32, 32, 8);
    ModelGraph model = compile(qwen3moe, file);
    assertEquals(4, TestSpecs.ops(model.main(), Op.MatmulId.class).size());
    assertEquals(
        List.of(
            new Op.Slice(-1, 0, 16),
            new Op.Slice(-1, 16, 32),
            new Op.Slice(-1, 0, 16),
            new Op.Slice(-1, 16, 32)),
        TestSpecs.ops(model.main(), Op.Slice.class));
  }

  @Test
  void biasesAreAddedWherePresent() {
    FakeFile file =
        FakeFile.of(llama, "tiny")
            .tensor("blk.1.attn_output.bias", DType.F32, 32)
            .tensor("blk.1.ffn_gate.bias", DType.F32, 64)
            .tensor("blk.1.ffn_down.bias", DType.F16, 32);
    long biased =
        TestSpecs.ops(compile(llama, file).main(), Op.Matmul.class).stream()
            .filter(Op.Matmul::bias)
            .count();
    assertEquals(5, biased, "two q biases of the config, and three");
  }

  @Test
  void scalesMultiplyTheProductsOfTheirWeight() {
    FakeFile file =
        FakeFile.of(qwen3moe, "tiny")
            .tensor("blk.0.attn_q.scale", DType.F32, 1)
            .tensor("blk.1.attn_q.weight.scale", DType.F32, 1)
            .tensor("blk.0.attn_q.input_scale", DType.F32, 1)
            .tensor("blk.0.ffn_up_exps.scale", DType.F32, 8)
            .tensor("blk.1.ffn_up_exps.scale", DType.F32, 1);
    ModelGraph model = compile(qwen3moe, file);
    assertEquals(
        2, TestSpecs.ops(model.main(), Op.Matmul.class).stream().filter(Op.Matmul::scale).count());
    assertEquals(
        1,
        TestSpecs.ops(model.main(), Op.MatmulId.class).stream().filter(Op.MatmulId::scale).count());
    assertEquals(
        1,
        TestSpecs.ops(model.main(), Op.Mul.class).size(),
        "one scale for all experts is a factor");
    assertEquals(List.of(), model.warnings());
  }

  @Test
  void scalingKeysAreRead() {
    FakeFile file = FakeFile.of(qwen3, "tiny");
    assertEquals(new Op.RopeScaling.None(), rope(qwen3, file).scaling());
    file.with("qwen3.rope.scale_linear", 4f);
    assertEquals(new Op.RopeScaling.Linear(4), rope(qwen3, file).scaling());
    file.without("qwen3.rope.scale_linear").with("qwen3.rope.scaling.factor", 2f);
    assertEquals(new Op.RopeScaling.Linear(2), rope(qwen3, file).scaling());
    file.with("qwen3.rope.scaling.type", "yarn")
        .with("qwen3.rope.scaling.original_context_length", 64L);
    assertEquals(new Op.RopeScaling.Yarn(2, 64, 1, 32, 1), rope(qwen3, file).scaling());
    file.with("qwen3.rope.scaling.yarn_beta_fast", 16f)
        .with("qwen3.rope.scaling.attn_factor", 0.5f);
    assertEquals(new Op.RopeScaling.Yarn(2, 64, 0.5, 16, 1), rope(qwen3, file).scaling());
    file.with("qwen3.rope.scaling.type", "none");
    assertEquals(new Op.RopeScaling.None(), rope(qwen3, file).scaling());
    file.with("qwen3.rope.scaling.type", "dynamic");
    assertTrue(
        TestSpecs.fault(qwen3, file)
            .contains(
                "'qwen3.rope.scaling.type' in file.gguf is \"dynamic\"; rope scalings known are none, linear, yarn and longrope"));
  }

  @Test
  void longropeChoosesFactorsByTheLongestSequence() {
    FakeFile file =
        FakeFile.of(qwen3, "tiny")
            .with("qwen3.rope.scaling.type", "longrope")
            .with("qwen3.rope.scaling.original_context_length", 128L)
            .tensor("rope_factors_long.weight", DType.F32, 8)
            .tensor("rope_factors_short.weight", DType.F32, 8);
    assertEquals(1, weights(compile(qwen3, file), "rope_factors_long.weight").size());
    ModelGraph shorter = SpecCompiler.compile(qwen3, file, CompileOptions.DEFAULT.withLimit(128));
    assertEquals(1, weights(shorter, "rope_factors_short.weight").size());
    assertEquals(0, weights(shorter, "rope_factors_long.weight").size());
  }

  @Test
  void numbersOfLayersMayBeArrays() {
    FakeFile file =
        FakeFile.of(qwen3, "tiny")
            .with("qwen3.feed_forward_length", List.of(64L, 96L))
            .with("qwen3.attention.head_count", new long[] {4, 4, 4})
            .with("qwen3.attention.head_count_kv", new long[] {2, 1})
            .tensor("blk.1.ffn_gate.weight", DType.F16, 32, 96)
            .tensor("blk.1.ffn_up.weight", DType.F16, 32, 96)
            .tensor("blk.1.ffn_down.weight", DType.F16, 96, 32)
            .tensor("blk.1.attn_k.weight", DType.F16, 32, 16)
            .tensor("blk.1.attn_v.weight", DType.F16, 32, 16);
    ModelGraph model = compile(qwen3, file);
    assertEquals("f16[C, 1, 16]", model.states().get(2).type().toString());
    assertEquals("[64, 96]", model.params().get("F"));
  }

  @Test
  void arrayThatIsTooShortIsRefused() {
    FakeFile file = FakeFile.of(qwen3, "tiny").with("qwen3.feed_forward_length", List.of(64L));
    assertTrue(
        TestSpecs.fault(qwen3, file)
            .contains(
                "'qwen3.feed_forward_length' in file.gguf gives 1 entries for 'F', which has 2"));
  }

  @Test
  void expertsAreNotRenormalisedWhereTheFileSaysSo() {
    FakeFile file = FakeFile.of(qwen3moe, "tiny");
    assertEquals(
        0x1p-14, TestSpecs.ops(compile(qwen3moe, file).main(), Op.Router.class).get(0).floor());
    file.with("qwen3moe.expert_weights_norm", false);
    assertEquals(0, TestSpecs.ops(compile(qwen3moe, file).main(), Op.Router.class).get(0).floor());
  }

  @Test
  void otherGatingFunctionsAreRefused() {
    FakeFile file = FakeFile.of(qwen3moe, "tiny").with("qwen3moe.expert_gating_func", 2L);
    assertTrue(
        TestSpecs.fault(qwen3moe, file)
            .contains(
                "file.gguf: this family's experts are chosen by softmax (1): gating = 2 ('qwen3moe.expert_gating_func')"));
  }

  @Test
  void expertWidthComesFromTheFfnWhereItHasNoKey() {
    FakeFile file =
        FakeFile.of(qwen3moe, "tiny")
            .without("qwen3moe.expert_feed_forward_length")
            .with("qwen3moe.feed_forward_length", 32L);
    assertEquals("16 x 2", compile(qwen3moe, file).params().get("Fe"));
  }

  @Test
  void oneTensorForEachExpertIsRefusedWithARemedy() {
    FakeFile file =
        FakeFile.of(llama, "tiny-moe")
            .drop(n -> n.contains("_exps"))
            .tensor("blk.0.ffn_gate.0.weight", DType.F16, 32, 64);
    assertTrue(
        TestSpecs.fault(llama, file)
            .contains(
                "file.gguf has a tensor 'blk.0.ffn_gate.0.weight': one tensor for each expert is a form of 2024; convert the"
                    + " checkpoint again with a current converter, which stacks them"));
  }

  @Test
  void mixtralWithoutGateProductsUsesUpAlone() {
    FakeFile file = FakeFile.of(llama, "tiny-moe").drop(n -> n.contains("gate_exps"));
    assertEquals(2, TestSpecs.ops(compile(llama, file).main(), Op.Silu.class).size());
    assertEquals(
        2,
        TestSpecs.ops(compile(llama, FakeFile.of(llama, "tiny-moe")).main(), Op.Glu.class).size());
  }

  @Test
  void unknownTensorOfABlockIsAnError() {
    FakeFile file = FakeFile.of(qwen3, "tiny").tensor("blk.1.attn_sinks.weight", DType.F32, 4);
    assertTrue(
        TestSpecs.fault(qwen3, file)
            .contains(
                "file.gguf has a tensor 'blk.1.attn_sinks.weight' that this spec does not know for blocks 0 .. 1: the model would be"
                    + " computed wrongly without it"));
    FakeFile more = FakeFile.of(qwen3, "tiny").tensor("blk.2.attn_norm.weight", DType.F32, 32);
    assertTrue(
        TestSpecs.fault(qwen3, more)
            .contains("'blk.2.attn_norm.weight' that this spec does not know for blocks 0 .. 1"));
  }

  @Test
  void otherArchitectureIsNamed() {
    FakeFile file = FakeFile.of(qwen3, "tiny").with("general.architecture", "gemma4");
    assertEquals(
        "file.gguf: general.architecture is 'gemma4', but qwen3.model describes 'qwen3'",
        TestSpecs.fault(qwen3, file));
  }

  @Test
  void oneMayStandForADimensionThatIsMissing() {
    FakeFile file = FakeFile.of(qwen3, "tiny").tensor("blk.0.attn_norm.weight", DType.F32, 32, 1);
    assertEquals(2, compile(qwen3, file).layers());
  }
}
