/**
 * The spec language: from the text of a {@code *.model} file and the facts of one model (a config,
 * or a GGUF file) to a graph.
 *
 * <p>Start at {@link dev.heddle.compiler.spec.SpecParser} (text to {@link
 * dev.heddle.compiler.spec.Spec}) and {@link dev.heddle.compiler.spec.SpecCompiler} (spec and facts
 * to {@link dev.heddle.compiler.spec.ModelGraph}). Every fault of a spec or of the model it is
 * applied to is a {@link dev.heddle.compiler.spec.SpecException} with positions. Uses ir, and gguf
 * for the facts of files.
 */
package dev.heddle.compiler.spec;
