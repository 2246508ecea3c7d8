package dev.heddle.gguf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.heddle.ir.DType;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecipeTest {

  @ParameterizedTest
  @CsvSource({
    "token_embd.weight,               Q4_K", "output.weight,                   Q6_K",
        "output_norm.weight,        F32",
    "blk.3.attn_q.weight,             Q4_K", "blk.3.attn_v.weight,             Q6_K",
        "blk.4.attn_v.weight,       Q4_K",
    "blk.6.attn_v.weight,             Q6_K", "blk.7.attn_v.weight,             Q4_K",
        "blk.27.attn_v.weight,      Q6_K",
    "blk.28.attn_v.weight,            Q6_K", "blk.5.ffn_down.weight,           Q4_K",
        "blk.6.ffn_down.weight,     Q6_K",
    "blk.6.ffn_down_exps.weight,      Q6_K", "blk.6.ffn_down_shexp.weight,     Q6_K",
        "blk.6.ffn_up.weight,       Q4_K",
    "blk.6.attn_qkv.weight,           Q5_K", "blk.6.ffn_gate_inp.weight,       F32",
        "blk.6.attn_q.bias,         F32",
    "blk.6.attn_q_norm.weight,        F32", "blk.6.ssm_conv1d.weight,         F32",
        "blk.6.attn_gate.weight,    Q4_K",
  })
  void q4KMGivesMoreBitsWhereTheyCount(String name, DType type) {
    assertEquals(type, Recipe.Q4_K_M.choose(name, new long[] {4096, 4096}, 32, false).type());
  }

  @Test
  void aTiedEmbeddingIsTheHead() {
    assertEquals(
        DType.Q6_K,
        Recipe.Q4_K_M.choose("token_embd.weight", new long[] {2048, 9}, 16, true).type());
    assertEquals(
        DType.Q6_K, Recipe.Q4_0.choose("token_embd.weight", new long[] {2048, 9}, 16, true).type());
    assertEquals(
        DType.Q8_0, Recipe.Q8_0.choose("token_embd.weight", new long[] {2048, 9}, 16, true).type());
  }

  @ParameterizedTest
  @CsvSource({
    "Q4_K_M, blk.1.ffn_up.weight,   Q4_K, Q5_0",
    "Q4_K_M, blk.1.attn_qkv.weight, Q5_K, Q5_1",
    "Q4_K_M, output.weight,         Q6_K, Q8_0",
    "Q6_K,   blk.1.ffn_up.weight,   Q6_K, Q8_0",
    "Q8_0,   blk.1.ffn_up.weight,   Q8_0, Q8_0",
    "F16,    blk.1.ffn_up.weight,   F16,  F16",
  })
  void rowsThatAreNoWholeBlocksFallBack(Recipe recipe, String name, DType wanted, DType type) {
    assertEquals(
        new Recipe.Choice(type, wanted), recipe.choose(name, new long[] {640, 100}, 8, false));
  }

  @ParameterizedTest
  @CsvSource({"Q4_K_M, Q4_K", "Q8_0, Q8_0", "Q4_0, Q4_0", "Q6_K, Q6_K"})
  void rowsThatFitNoBlockBecomeF16(Recipe recipe, DType wanted) {
    assertEquals(
        new Recipe.Choice(DType.F16, wanted),
        recipe.choose("blk.1.ffn_up.weight", new long[] {100, 7}, 8, false));
  }

  @Test
  void vectorsStayF32WhateverTheirName() {
    assertEquals(
        DType.F32,
        Recipe.Q8_0
            .choose("blk.1.ffn_gate_inp_shexp.weight", new long[] {4096, 1}, 8, false)
            .type());
    assertEquals(
        DType.F32, Recipe.F16.choose("rope_freqs.weight", new long[] {64}, 8, false).type());
  }

  @Test
  void namesAreThoseOfTheOptions() {
    assertEquals("q8_0, q4_0, q4_k_m, q6_k, f16, f32", Recipe.names());
    assertEquals(Optional.of(Recipe.Q4_K_M), Recipe.ofText("q4_k_m"));
    assertEquals(Optional.empty(), Recipe.ofText("q3"));
  }
}
