package dev.heddle.codegen.cuda;

import dev.heddle.codegen.gpu.Dialect;
import dev.heddle.codegen.gpu.GpuKernel;
import dev.heddle.codegen.gpu.GpuSource;
import dev.heddle.codegen.tool.GpuModule;
import dev.heddle.codegen.tool.Tool;
import dev.heddle.codegen.tool.Toolchain;
import dev.heddle.codegen.tool.WorkFolder;
import dev.heddle.ir.plan.Resources;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * PTX by clang without any CUDA installation, for chips older than nvcc compiles for. The chip's
 * driver assembles it. Where ptxas is at hand it assembles the PTX for sm_75, the oldest chip it
 * knows: a check, and figures near to the true ones.
 */
record ClangPtx(String arch, Tool clang, Optional<Tool> ptxas) implements Toolchain {
  private static final String NOT_ASSEMBLED = "PTX, not assembled";

  @Override
  public Dialect dialect() {
    return CudaTarget.dialect();
  }

  @Override
  public String identity() {
    String assembler = ptxas.map(p -> p.run(List.of("--version")).out()).orElse("");
    return clang.run(List.of("--version")).out() + assembler + flags();
  }

  private List<String> flags() {
    return List.of(
        "-x",
        "cuda",
        "--cuda-device-only",
        "--cuda-gpu-arch=" + arch,
        "-nocudainc",
        "-nocudalib",
        "--cuda-path=/nonexistent", // a CUDA folder that is found would choose the version of PTX
        "-Xclang",
        "-target-feature",
        "-Xclang",
        "+ptx64", // shfl.sync needs PTX 6.0, clang writes the least that a chip needs
        "-std=c++17",
        "-O3",
        "-ffp-contract=off",
        "-S");
  }

  @Override
  public GpuModule compile(GpuSource source) {
    try (var work = new WorkFolder()) {
      Path ptx = work.file("kernels.ptx");
      List<String> arguments = new ArrayList<>(flags());
      arguments.addAll(
          List.of(work.write("kernels.cu", source.text()).toString(), "-o", ptx.toString()));
      clang.require(clang.run(arguments), arguments);
      byte[] text = work.read("kernels.ptx");
      return new GpuModule(
          arch,
          "ptx",
          ended(text),
          ptxas.map(p -> assembled(p, ptx)).orElseGet(() -> unknown(source)));
    }
  }

  /** The driver takes PTX as a C string. */
  private static byte[] ended(byte[] text) {
    return Arrays.copyOf(text, text.length + 1);
  }

  private static Map<String, Resources> assembled(Tool ptxas, Path ptx) {
    List<String> arguments = List.of("-arch=sm_75", "-v", ptx.toString(), "-o", ptx + ".cubin");
    Tool.Output output = ptxas.run(arguments);
    ptxas.require(output, arguments);
    return PtxasLog.resources(output.error(), NOT_ASSEMBLED + "; figures of ptxas for sm_75");
  }

  private static Map<String, Resources> unknown(GpuSource source) {
    Map<String, Resources> resources = new TreeMap<>();
    for (GpuKernel kernel : source.kernels()) {
      resources.put(kernel.name(), new Resources(-1, -1, -1, NOT_ASSEMBLED));
    }
    return resources;
  }

  /** The text of an image that this toolchain made. */
  static String text(GpuModule module) {
    return new String(module.image(), 0, module.image().length - 1, StandardCharsets.US_ASCII);
  }
}
