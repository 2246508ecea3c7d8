package dev.heddle.codegen.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.heddle.ir.DType;
import dev.heddle.ir.EnvironmentException;
import dev.heddle.ir.plan.Resources;
import dev.heddle.ir.target.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CudaToolchainTest {
  @Test
  void nvccOfCudaHomeComesBeforeThatOfPath(@TempDir Path folder) throws IOException {
    Path home = program(folder.resolve("cuda/bin/nvcc"));
    Path path = program(folder.resolve("path/nvcc"));
    var both =
        Map.of("CUDA_HOME", folder.resolve("cuda").toString(), "PATH", path.getParent().toString());
    assertEquals(Optional.of(home), CudaToolchain.nvcc(both).map(t -> t.program()));
    var pathOnly = Map.of("PATH", path.getParent().toString());
    assertEquals(Optional.of(path), CudaToolchain.nvcc(pathOnly).map(t -> t.program()));
  }

  @Test
  void missingClangIsOneSentenceWithThePackage() {
    var e =
        assertThrows(
            EnvironmentException.class,
            () -> CudaToolchain.of("sm_61", Map.of("PATH", "/nonexistent")));
    assertEquals(
        "sm_61 is older than nvcc compiles for, and no clang was found in PATH: install the package clang-19, or use --emit=source.",
        e.getMessage());
  }

  @Test
  void chipsWithoutDotProductsAreRefused() {
    var e = assertThrows(EnvironmentException.class, () -> CudaTarget.of("sm_52"));
    assertEquals(
        "sm_52 has no dp4a instruction: kernels need sm_61 or a later chip.", e.getMessage());
  }

  @Test
  void whatIsNoArchitectureIsSaid() {
    var e = assertThrows(EnvironmentException.class, () -> CudaTarget.of("gfx1100"));
    assertEquals(
        "\"gfx1100\" is no NVIDIA architecture: write sm_ and the compute capability, as in sm_86.",
        e.getMessage());
  }

  @Test
  void targetReadsQ8AsStoredAndRepacked() {
    Target target = CudaTarget.of("sm_120");
    assertEquals("cuda", target.name());
    assertEquals("planar_rows", target.packing(DType.Q8_0));
    assertEquals("gguf", target.packing(DType.F32));
  }

  @Test
  void figuresOfPtxasAreReadPerKernel() {
    String log =
        """
        ptxas info    : 0 bytes gmem
        ptxas info    : Compiling entry function 'second' for 'sm_90'
        ptxas info    : Function properties for second
            8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
        ptxas info    : Used 40 registers, used 1 barriers, 32 bytes smem
        ptxas info    : Compile time = 12.3 ms
        ptxas info    : Compiling entry function 'first' for 'sm_90'
        ptxas info    : Function properties for first
            0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
        ptxas info    : Used 255 registers, 384 bytes cmem[0]
        """;
    assertEquals(
        Map.of("first", new Resources(255, 0, 0, ""), "second", new Resources(40, 12, 32, "")),
        PtxasLog.resources(log, ""));
  }

  private static Path program(Path file) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n");
    file.toFile().setExecutable(true);
    return file;
  }
}
