/**
 * The HIP target: dialect prelude, what AMD chips can do ({@link
 * dev.heddle.codegen.hip.HipTarget}), and how sources become code objects ({@link
 * dev.heddle.codegen.hip.HipToolchain}). May use {@code ir} and {@code codegen}.
 */
package dev.heddle.codegen.hip;
