package dev.heddle.codegen.tool;

import dev.heddle.codegen.gpu.Dialect;
import dev.heddle.codegen.gpu.GpuSource;

/** Compilers for one chip. */
public interface Toolchain {
  /** The chip: "sm_90", "gfx1201", "host". */
  String arch();

  /** What its sources are written in. */
  Dialect dialect();

  /**
   * Program, its version and its flags: the same text means the same binaries of the same source.
   */
  String identity();

  /**
   * Compiles a source.
   *
   * @throws dev.heddle.ir.EnvironmentException if a program is missing: one sentence with what to
   *     install
   * @throws dev.heddle.ir.HeddleBug if the compiler refuses the source
   */
  GpuModule compile(GpuSource source);
}
