package dev.heddle.codegen.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.DType;
import dev.heddle.ir.GraphException;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.LaunchShape;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.PlanKey.Rows;
import java.util.List;
import org.junit.jupiter.api.Test;

class GpuCodegenTest {
  private static final Dialect NONE = new Dialect("none", "txt", "");

  @Test
  void sourceOfAKernelReadsAsTheKernelItIs() {
    var kind = new KernelKind.KvAppendKernel(DType.F16, 2, 64);
    assertEquals(
        """
        #define TOKENS 1
        #define COUNT_OF_TOKENS_AT 0
        #define COUNT_OF_WANTED_AT 1
        #define BLOCKS_PER_SLOT_AT 3
        #define IDS_AT 4
        #define POSITIONS_AT 5
        #define SLOTS_AT 6
        #define WANTED_AT 7
        #define TABLES_AT 8

        /* KvAppendKernel[cache=F16, heads=2, d=64] */
        #define THREADS 128
        #define WIDTH 128
        /* cache[position[t]] of the token's sequence = x[t], rounded to f16.   x f32[T, WIDTH]   cache: blocks of [32, WIDTH] */
        KERNEL(kv_append_f16_128, THREADS)(const i32 *header, u16 *cache, const f32 *x) {
          const i32 i = BLOCK_X * THREADS + THREAD;
          if (i >= WIDTH) return;
          const i32 position = header[POSITIONS_AT + BLOCK_Y];
          const i32 *table = header + TABLES_AT + (u64)header[SLOTS_AT + BLOCK_Y] * header[BLOCKS_PER_SLOT_AT];
          const u64 row = (u64)table[position / 32] * 32 + position % 32;
          const f32 value = x[(u64)BLOCK_Y * WIDTH + i];
          cache[row * WIDTH + i] = f32_to_f16(value);
        }
        EXPORT(kv_append_f16_128)
        #undef THREADS
        #undef WIDTH
        """,
        GpuCodegen.generate(NONE, List.of(kind), new PlanKey(Rows.STEP, 1, 1)).text());
  }

  @Test
  void gridCoversTheBucketAndNothingThatChangesWithAStep() {
    var kind = new KernelKind.TakeRowsKernel(1000);
    var source = GpuCodegen.generate(NONE, List.of(kind), new PlanKey(Rows.STEP, 8, 8));
    assertEquals(new LaunchShape(4, 8, 256, 0), source.kernels().getFirst().shape());
  }

  @Test
  void kernelsThatDifferOnlyInWhatTheirNamesLeaveOutAreNumbered() {
    var weighted = new KernelKind.RmsNormKernel(Count.TOKENS, 1, 64, 1e-6, true);
    var plain = new KernelKind.RmsNormKernel(Count.TOKENS, 1, 64, 1e-6, false);
    var names =
        GpuCodegen.generate(NONE, List.of(weighted, plain), KernelSamples.ONE_TOKEN)
            .kernels()
            .stream()
            .map(GpuKernel::name)
            .toList();
    assertEquals(List.of("rms_norm_64", "rms_norm_64_2"), names);
  }

  @Test
  void namesAreUniqueAmongAllKinds() {
    var kernels = GpuCodegen.generate(NONE, KernelSamples.all(), KernelSamples.ONE_TOKEN).kernels();
    assertEquals(kernels.size(), kernels.stream().map(GpuKernel::name).distinct().count());
  }

  @Test
  void kindsWithoutABodyAreRefusedWithTheReason() {
    var prompt =
        new KernelKind.MatmulKernel(
            Rows.PROMPT, Count.TOKENS, DType.Q8_0, DType.F32, 64, 64, false, false);
    var e =
        assertThrows(
            GraphException.class,
            () -> GpuCodegen.generate(NONE, List.of(prompt), KernelSamples.ONE_TOKEN));
    assertTrue(e.getMessage().contains("prompts run token by token"), e.getMessage());
    var cache = new KernelKind.KvAppendKernel(DType.BF16, 2, 64);
    assertEquals(
        "caches hold f32 or f16, not bf16 (--kv f16)", GpuCodegen.refusal(cache).orElseThrow());
    var weight = new KernelKind.EmbedKernel(DType.Q4_K, 256, 10, 1);
    assertEquals(
        "weights are read as f32 or q8_0, not as q4_k", GpuCodegen.refusal(weight).orElseThrow());
  }
}
