package dev.heddle.codegen.hip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.codegen.gpu.GpuCodegen;
import dev.heddle.codegen.gpu.GpuKernel;
import dev.heddle.codegen.gpu.GpuSource;
import dev.heddle.codegen.gpu.KernelSamples;
import dev.heddle.codegen.tool.Compiles;
import dev.heddle.codegen.tool.GpuModule;
import dev.heddle.codegen.tool.Tool;
import dev.heddle.ir.plan.Resources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every body compiles for AMD chips without spilling a register. */
@Tag("needs-clang-19")
class HipCompileTest {
  private static final GpuSource SOURCE =
      GpuCodegen.generate(HipTarget.dialect(), KernelSamples.all(), KernelSamples.ONE_TOKEN);

  /** Registers that a lane of a wave of 32 can address. */
  private static final int REGISTERS = 256;

  @Test
  void clangMakesCodeObjectsWithDotProducts(@TempDir Path folder) throws IOException {
    List<Compiles.Job> jobs =
        List.of("gfx1100", "gfx1151", "gfx1201").stream()
            .map(arch -> new Compiles.Job(HipToolchain.of(arch, System.getenv()), SOURCE))
            .toList();
    for (GpuModule module : Compiles.run(jobs)) {
      assertEquals("co", module.extension());
      assertUsesNoSpills(module);
      Path file = Files.write(folder.resolve(module.arch() + ".co"), module.image());
      String code = disassembler().run(List.of("-d", file.toString())).out();
      assertTrue(code.contains("v_dot4_i32_iu8"), module.arch() + ": products of bytes");
      assertTrue(code.contains("global_load_b128"), module.arch() + ": wide loads of weights");
    }
  }

  private static Tool disassembler() {
    return Tool.find(
            System.getenv(), List.of(), List.of("llvm-objdump-19", "llvm-objdump"), List.of())
        .orElseThrow();
  }

  private static void assertUsesNoSpills(GpuModule module) {
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
      assertTrue(used.registers() <= REGISTERS, what);
      assertTrue(used.sharedBytes() <= 64 << 10, what);
    }
  }
}
