package dev.heddle.codegen.hip;

import dev.heddle.codegen.gpu.Dialect;
import dev.heddle.codegen.gpu.GpuSource;
import dev.heddle.codegen.tool.GpuModule;
import dev.heddle.codegen.tool.Tool;
import dev.heddle.codegen.tool.Toolchain;
import dev.heddle.codegen.tool.WorkFolder;
import dev.heddle.ir.EnvironmentException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Code objects by clang, with or without ROCm: neither its headers nor its device libraries are
 * used.
 */
public final class HipToolchain implements Toolchain {
  private static final List<Path> ROCM =
      List.of(Path.of("/opt/rocm/llvm/bin"), Path.of("/opt/rocm/bin"));

  private final String arch;
  private final Tool clang;
  private final Tool readelf;

  private HipToolchain(String arch, Tool clang, Tool readelf) {
    this.arch = arch;
    this.clang = clang;
    this.readelf = readelf;
  }

  /**
   * amdclang++ of ROCm, or clang with lld.
   *
   * @param environment the process's environment variables: ROCM_PATH, PATH
   * @throws EnvironmentException if there is no such compiler, or no kernels for the chip
   */
  public static Toolchain of(String arch, Map<String, String> environment) {
    HipTarget.require(arch);
    return new HipToolchain(
        arch,
        find(environment, List.of("amdclang++", "clang-19", "clang-20", "clang-21"), arch),
        find(
            environment,
            List.of("llvm-readelf", "llvm-readelf-19", "llvm-readelf-20", "llvm-readelf-21"),
            arch));
  }

  private static Tool find(Map<String, String> environment, List<String> names, String arch) {
    List<Path> home =
        Stream.ofNullable(environment.get("ROCM_PATH"))
            .filter(s -> !s.isEmpty())
            .flatMap(s -> Stream.of(Path.of(s, "llvm", "bin"), Path.of(s, "bin")))
            .toList();
    return Tool.find(environment, home, names, ROCM)
        .orElseThrow(() ->
            new EnvironmentException(
                "None of "
                    + String.join(", ", names)
                    + " was found in $ROCM_PATH, PATH or /opt/rocm, so nothing can be compiled for "
                    + arch
                    + ": install ROCm or the packages clang-19 lld-19 llvm-19, or use --emit=source."));
  }

  @Override
  public String arch() {
    return arch;
  }

  @Override
  public Dialect dialect() {
    return HipTarget.dialect();
  }

  @Override
  public String identity() {
    return clang.run(List.of("--version")).out() + flags();
  }

  private List<String> flags() {
    return List.of(
        "-x",
        "hip",
        "--cuda-device-only",
        "--no-gpu-bundle-output",
        "--offload-arch=" + arch,
        "-nogpuinc",
        "-nogpulib",
        "-std=c++17",
        "-O3",
        "-ffp-contract=off");
  }

  @Override
  public GpuModule compile(GpuSource source) {
    try (var work = new WorkFolder()) {
      Path object = work.file("kernels.co");
      List<String> arguments = new ArrayList<>(flags());
      arguments.addAll(
          List.of(work.write("kernels.hip", source.text()).toString(), "-o", object.toString()));
      Tool.Output output = clang.run(arguments);
      if (output.status() != 0 && output.error().contains("lld")) {
        throw new EnvironmentException(
            "clang found no linker for AMD code objects: install the package lld-19.");
      }
      if (output.status() != 0 && output.error().contains("unsupported HIP gpu architecture")) {
        throw new EnvironmentException(
            clang.program() + " knows no " + arch + ": install a newer ROCm or clang.");
      }
      clang.require(output, arguments);
      List<String> notes = List.of("--notes", object.toString());
      Tool.Output read = readelf.run(notes);
      readelf.require(read, notes);
      return new GpuModule(arch, "co", work.read("kernels.co"), KernelNotes.resources(read.out()));
    }
  }
}
