package dev.heddle.codegen.cuda;

import dev.heddle.codegen.gpu.Dialect;
import dev.heddle.codegen.gpu.GpuSource;
import dev.heddle.codegen.tool.GpuModule;
import dev.heddle.codegen.tool.Tool;
import dev.heddle.codegen.tool.Toolchain;
import dev.heddle.codegen.tool.WorkFolder;
import dev.heddle.ir.EnvironmentException;
import java.util.ArrayList;
import java.util.List;

/** Cubins by nvcc. */
record Nvcc(String arch, Tool nvcc) implements Toolchain {
  @Override
  public Dialect dialect() {
    return CudaTarget.dialect();
  }

  @Override
  public String identity() {
    return nvcc.run(List.of("--version")).out() + flags();
  }

  /** -fmad=false: the only fused operations are those that a body writes. */
  private List<String> flags() {
    return List.of("-std=c++17", "-arch=" + arch, "-fmad=false", "-cubin", "-Xptxas", "-v");
  }

  @Override
  public GpuModule compile(GpuSource source) {
    try (var work = new WorkFolder()) {
      List<String> arguments = new ArrayList<>(flags());
      arguments.addAll(
          List.of(
              work.write("kernels.cu", source.text()).toString(),
              "-o",
              work.file("kernels.cubin").toString()));
      Tool.Output output = nvcc.run(arguments);
      if (output.status() != 0 && output.error().contains("Unsupported gpu architecture")) {
        throw new EnvironmentException(
            nvcc.program()
                + " knows no "
                + arch
                + ": install a CUDA Toolkit that lists it (nvcc --list-gpu-arch), as a rule the newest.");
      }
      nvcc.require(output, arguments);
      return new GpuModule(
          arch, "cubin", work.read("kernels.cubin"), PtxasLog.resources(output.error(), ""));
    }
  }
}
