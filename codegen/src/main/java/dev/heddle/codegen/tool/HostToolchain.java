package dev.heddle.codegen.tool;

import dev.heddle.codegen.gpu.Dialect;
import dev.heddle.codegen.gpu.GpuKernel;
import dev.heddle.codegen.gpu.GpuSource;
import dev.heddle.ir.EnvironmentException;
import dev.heddle.ir.plan.Resources;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The bodies as a library of this machine: each kernel is a function NAME(grid x, grid y, threads,
 * void** arguments) that runs the whole grid, and NAME_params holds the sizes of its parameters,
 * ended by 0.
 */
public final class HostToolchain implements Toolchain {
  /** The arch's name. */
  public static final String ARCH = "host";

  private final Tool compiler;

  private HostToolchain(Tool compiler) {
    this.compiler = compiler;
  }

  /**
   * Finds g++ (or clang++).
   *
   * @throws EnvironmentException if there is none
   */
  public static HostToolchain find(Map<String, String> environment) {
    return new HostToolchain(
        Tool.find(environment, List.of(), List.of("g++", "clang++", "c++"), List.of())
            .orElseThrow(() ->
                new EnvironmentException(
                    "No C++ compiler was found in PATH: install the package g++.")));
  }

  /** Flags under which all dialects compute the same bits. */
  public static List<String> flags() {
    List<String> flags =
        new ArrayList<>(
            List.of(
                "-std=c++17",
                "-O2",
                "-ffp-contract=off",
                "-fno-math-errno",
                "-fvisibility=hidden"));
    if (System.getProperty("os.arch").equals("amd64")) {
      flags.add("-mfma"); // only fma_ uses it; without it each is a call
    }
    return flags;
  }

  /** The compiler, for other programs that contain generated sources. */
  public Tool compiler() {
    return compiler;
  }

  @Override
  public String arch() {
    return ARCH;
  }

  @Override
  public Dialect dialect() {
    return Dialect.host();
  }

  @Override
  public String identity() {
    return compiler.run(List.of("--version")).out() + flags();
  }

  @Override
  public GpuModule compile(GpuSource source) {
    try (var work = new WorkFolder()) {
      Path in = work.write("kernels.cpp", source.text());
      List<String> arguments = new ArrayList<>(flags());
      arguments.addAll(
          List.of("-fPIC", "-shared", "-static-libstdc++", "-static-libgcc", in.toString(), "-o"));
      arguments.add(work.file("kernels.so").toString());
      compiler.require(compiler.run(arguments), arguments);
      Map<String, Resources> resources = new TreeMap<>();
      for (GpuKernel kernel : source.kernels()) {
        resources.put(kernel.name(), new Resources(-1, -1, -1, "runs on the CPU"));
      }
      return new GpuModule(ARCH, "so", work.read("kernels.so"), resources);
    }
  }
}
