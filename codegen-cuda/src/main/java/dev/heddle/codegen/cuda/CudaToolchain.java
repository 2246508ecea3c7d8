package dev.heddle.codegen.cuda;

import dev.heddle.codegen.tool.Tool;
import dev.heddle.codegen.tool.Toolchain;
import dev.heddle.ir.EnvironmentException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds the compilers of an NVIDIA chip. */
public final class CudaToolchain {
  /** The oldest chip that today's nvcc makes code for. */
  private static final int OLDEST_OF_NVCC = 75;

  /** Clang versions whose flags are those of {@link ClangPtx}, newest tested first. */
  private static final List<String> CLANGS = List.of("clang-19", "clang-20", "clang-21", "clang");

  private CudaToolchain() {}

  /**
   * nvcc for sm_75 and later; clang, which needs no CUDA, for older chips, whose PTX the driver
   * compiles.
   *
   * @param environment the process's environment variables: CUDA_HOME, PATH
   * @throws EnvironmentException if there is no such compiler, or no kernels for the chip
   */
  public static Toolchain of(String arch, Map<String, String> environment) {
    if (CudaTarget.capability(arch) >= OLDEST_OF_NVCC) {
      return new Nvcc(arch, nvcc(environment).orElseThrow(() -> missingNvcc(arch)));
    }
    Tool clang =
        Tool.find(environment, List.of(), CLANGS, List.of()).orElseThrow(() -> missingClang(arch));
    return new ClangPtx(arch, clang, ptxas(environment));
  }

  /** nvcc of $CUDA_HOME, of PATH, or of /usr/local/cuda. */
  public static Optional<Tool> nvcc(Map<String, String> environment) {
    return ofToolkit("nvcc", environment);
  }

  /** The assembler of the same places. */
  public static Optional<Tool> ptxas(Map<String, String> environment) {
    return ofToolkit("ptxas", environment);
  }

  private static Optional<Tool> ofToolkit(String name, Map<String, String> environment) {
    List<Path> home =
        Stream.ofNullable(environment.get("CUDA_HOME"))
            .filter(s -> !s.isEmpty())
            .map(s -> Path.of(s, "bin"))
            .toList();
    return Tool.find(environment, home, List.of(name), List.of(Path.of("/usr/local/cuda/bin")));
  }

  private static EnvironmentException missingNvcc(String arch) {
    return new EnvironmentException(
        "No nvcc was found in $CUDA_HOME/bin, PATH or /usr/local/cuda/bin, so nothing can be compiled for "
            + arch
            + ": install the CUDA Toolkit (package cuda-nvcc or nvidia-cuda-toolkit), or use --emit=source.");
  }

  private static EnvironmentException missingClang(String arch) {
    return new EnvironmentException(
        arch
            + " is older than nvcc compiles for, and no clang was found in PATH: install the package clang-19, or use --emit=source.");
  }
}
