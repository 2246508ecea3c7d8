/**
 * What toolchains made, kept on disk so that equal kernels compile once, across layers, models and
 * runs. Start at {@link dev.heddle.codegen.cache.CompileCache}.
 */
package dev.heddle.codegen.cache;
