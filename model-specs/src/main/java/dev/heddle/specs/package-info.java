/**
 * The model descriptions that heddle brings along, as text. Uses nothing; {@code
 * dev.heddle.compiler.spec} reads them. Start at {@link dev.heddle.specs.BuiltinSpecs}.
 */
package dev.heddle.specs;
