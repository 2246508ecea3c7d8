package dev.heddle.codegen.cuda;

import dev.heddle.codegen.gpu.Dialect;
import dev.heddle.ir.DType;
import dev.heddle.ir.EnvironmentException;
import dev.heddle.ir.plan.abi.PlanarRows;
import dev.heddle.ir.target.Target;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** NVIDIA chips by compute capability. */
public final class CudaTarget {
  /** The target's name. */
  public static final String NAME = "cuda";

  /**
   * Compute capability 6.1 (Pascal) brought dp4a; shuffles with a mask and all else that kernels
   * use are older.
   */
  private static final int OLDEST = 61;

  private static final Pattern ARCH = Pattern.compile("sm_(\\d{2,3})a?");

  private CudaTarget() {}

  /**
   * A chip.
   *
   * @param arch "sm_86"
   * @throws EnvironmentException if heddle has no kernels for it
   */
  public static Target of(String arch) {
    capability(arch);
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
    return Dialect.of("cuda", "cu", CudaTarget.class, "prelude_cuda.h");
  }

  /** 86 of "sm_86". */
  static int capability(String arch) {
    Matcher matcher = ARCH.matcher(arch);
    if (!matcher.matches()) {
      throw new EnvironmentException(
          "\""
              + arch
              + "\" is no NVIDIA architecture: write sm_ and the compute capability, as in sm_86.");
    }
    int capability = Integer.parseInt(matcher.group(1));
    if (capability < OLDEST) {
      throw new EnvironmentException(
          arch + " has no dp4a instruction: kernels need sm_" + OLDEST + " or a later chip.");
    }
    return capability;
  }
}
