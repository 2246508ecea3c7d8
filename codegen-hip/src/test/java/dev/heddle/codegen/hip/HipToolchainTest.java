package dev.heddle.codegen.hip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.DType;
import dev.heddle.ir.EnvironmentException;
import dev.heddle.ir.plan.Resources;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HipToolchainTest {
  @Test
  void missingClangIsOneSentenceWithThePackages() {
    var e =
        assertThrows(
            EnvironmentException.class,
            () -> HipToolchain.of("gfx1201", Map.of("PATH", "/nonexistent")));
    assertTrue(
        e.getMessage()
            .contains(
                "install ROCm or the packages clang-19 lld-19 llvm-19, or use --emit=source."),
        e.getMessage());
  }

  @Test
  void chipsWithWavesOf64AreRefused() {
    var e = assertThrows(EnvironmentException.class, () -> HipTarget.of("gfx90a"));
    assertEquals(
        "gfx90a has waves of 64 lanes, but kernels are written for 32: gfx10, gfx11 and gfx12 chips are supported.",
        e.getMessage());
  }

  @Test
  void targetReadsQ8AsStoredAndRepacked() {
    assertEquals("hip", HipTarget.of("gfx1201").name());
    assertEquals("planar_rows", HipTarget.of("gfx1201").packing(DType.Q8_0));
  }

  @Test
  void figuresOfACodeObjectAreReadPerKernel() {
    String notes =
        """
            AMDGPU Metadata:
                ---
        amdhsa.kernels:
          - .args:
              - .address_space:  global
                .name:           header
                .offset:         0
            .group_segment_fixed_size: 32
            .name:           first
            .private_segment_fixed_size: 0
            .sgpr_count:     24
            .sgpr_spill_count: 0
            .vgpr_count:     31
            .vgpr_spill_count: 0
          - .args:
              - .offset:         0
            .group_segment_fixed_size: 0
            .name:           second
            .private_segment_fixed_size: 552
            .sgpr_count:     18
            .sgpr_spill_count: 2
            .vgpr_count:     256
            .vgpr_spill_count: 137
        amdhsa.target:   amdgcn-amd-amdhsa--gfx1201
        """;
    assertEquals(
        Map.of(
            "first", new Resources(31, 0, 32, "scalar registers: 24"),
            "second", new Resources(256, 556, 0, "scalar registers: 18")),
        KernelNotes.resources(notes));
  }
}
