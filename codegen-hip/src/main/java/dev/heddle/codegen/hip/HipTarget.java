package dev.heddle.codegen.hip;

import dev.heddle.codegen.gpu.Dialect;
import dev.heddle.ir.DType;
import dev.heddle.ir.EnvironmentException;
import dev.heddle.ir.plan.abi.PlanarRows;
import dev.heddle.ir.target.Target;
import java.util.Map;
import java.util.Set;

/** AMD chips with waves of 32: gfx10, gfx11, gfx12. */
public final class HipTarget {
  /** The target's name. */
  public static final String NAME = "hip";

  private HipTarget() {}

  /**
   * A chip.
   *
   * @param arch "gfx1201"
   * @throws EnvironmentException if heddle has no kernels for it
   */
  public static Target of(String arch) {
    require(arch);
    return new Target(
        NAME,
        arch,
        Set.of(DType.F32, DType.Q8_0),
        Set.of(DType.Q8_0),
        true,
        Map.of(DType.Q8_0, PlanarRows.NAME));
  }

  /** What its sources are written in. */
  public static Dialect dialect() {
    return Dialect.of("hip", "hip", HipTarget.class, "prelude_hip.h");
  }

  static void require(String arch) {
    if (arch.matches("gfx9[0-9a-f]{2}")) {
      throw new EnvironmentException(
          arch
              + " has waves of 64 lanes, but kernels are written for 32: gfx10, gfx11 and gfx12 chips are supported.");
    }
    if (!arch.matches("gfx1[0-2][0-9a-f]{2}")) {
      throw new EnvironmentException(
          "\""
              + arch
              + "\" is no AMD architecture that heddle knows: write it as in gfx1201 (rocminfo prints it).");
    }
  }
}
