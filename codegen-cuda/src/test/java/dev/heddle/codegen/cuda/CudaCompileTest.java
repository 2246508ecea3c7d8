package dev.heddle.codegen.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.codegen.gpu.GpuCodegen;
import dev.heddle.codegen.gpu.GpuKernel;
import dev.heddle.codegen.gpu.GpuSource;
import dev.heddle.codegen.gpu.KernelSamples;
import dev.heddle.codegen.tool.Compiles;
import dev.heddle.codegen.tool.GpuModule;
import dev.heddle.ir.plan.Resources;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every body compiles for NVIDIA chips without spilling a register. */
class CudaCompileTest {
  private static final GpuSource SOURCE =
      GpuCodegen.generate(CudaTarget.dialect(), KernelSamples.all(), KernelSamples.ONE_TOKEN);

  /** Registers of an SM, shared among the threads of at least one block. */
  private static final int REGISTERS = 65536;

  @Test
  @Tag("needs-nvcc")
  void nvccMakesCubinsForOldAndNewChips() {
    List<Compiles.Job> jobs =
        List.of("sm_75", "sm_90", "sm_120").stream()
            .map(arch -> new Compiles.Job(CudaToolchain.of(arch, System.getenv()), SOURCE))
            .toList();
    for (GpuModule module : Compiles.run(jobs)) {
      assertEquals("cubin", module.extension());
      assertEquals(
          "\u007fELF",
          new String(module.image(), 0, 4, java.nio.charset.StandardCharsets.ISO_8859_1));
      assertUsesNoSpills(module, "");
    }
  }

  @Test
  @Tag("needs-clang-19")
  @Tag("needs-nvcc")
  void clangMakesPtxForPascalThatThePtxAssemblerAccepts() {
    GpuModule module = CudaToolchain.of("sm_61", System.getenv()).compile(SOURCE);
    assertEquals("ptx", module.extension());
    assertEquals(0, module.image()[module.image().length - 1], "the driver reads a C string");
    String ptx = ClangPtx.text(module);
    assertTrue(ptx.contains(".target sm_61"), "chip");
    assertTrue(ptx.contains("dp4a.s32.s32"), "products of bytes");
    assertTrue(ptx.contains("ld.global.nc.v4.s32"), "wide loads of weights");
    assertTrue(!ptx.contains("L1::no_allocate"), "an option that sm_61 does not have");
    assertUsesNoSpills(module, "PTX, not assembled; figures of ptxas for sm_75");
  }

  private static void assertUsesNoSpills(GpuModule module, String note) {
    assertEquals(
        SOURCE.kernels().stream()
            .map(GpuKernel::name)
            .collect(Collectors.toCollection(TreeSet::new)),
        new TreeSet<>(module.resources().keySet()),
        module.arch());
    for (GpuKernel kernel : SOURCE.kernels()) {
      Resources used = module.resources().get(kernel.name());
      String what = module.arch() + " " + kernel.name() + " " + used;
      assertEquals(0, used.spillBytes(), what);
      assertTrue(used.registers() * kernel.shape().blockX() <= REGISTERS, what);
      assertTrue(used.sharedBytes() <= 48 << 10, what);
      assertEquals(note, used.note(), what);
    }
  }
}
