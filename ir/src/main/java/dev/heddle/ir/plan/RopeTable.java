package dev.heddle.ir.plan;

import dev.heddle.ir.Op;

/**
 * Cosines and sines of all positions, computed at load: f32[C, dims/2, 2] (cos, sin). Angles are
 * computed in f64 and rounded once (arch/ops.md 2.5).
 *
 * @param dims rotated values R
 * @param base frequency base
 * @param scaling scaling of angles
 * @param factorsTensor GGUF tensor of frequency divisors, or ""
 */
public record RopeTable(int dims, double base, Op.RopeScaling scaling, String factorsTensor) {}
