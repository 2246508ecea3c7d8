/**
 * Runs bundles: weights mapped or copied, paged KV caches, the thread team, the executor of plans.
 * Uses ir and gguf alone, never the compiler: a bundle made elsewhere runs here. Start at {@link
 * dev.heddle.runtime.Model}, then {@link dev.heddle.runtime.Executor}.
 */
package dev.heddle.runtime;
