/**
 * The whole way from a model to a bundle. Start at {@link dev.heddle.compiler.Compiler}, whose one
 * function is the chain; {@link dev.heddle.compiler.CompileRequest} says what is compiled for;
 * {@link dev.heddle.compiler.Report} says what came of it. The spec language is in {@code spec}.
 * Nothing here knows the runtime.
 */
package dev.heddle.compiler;
