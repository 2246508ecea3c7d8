/** Which tests need which tool: see {@link dev.heddle.codegen.testing.NeedsTools}. */
package dev.heddle.codegen.testing;
