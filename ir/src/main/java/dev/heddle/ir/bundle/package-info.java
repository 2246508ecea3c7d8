/** What a bundle's files say. Start at {@link dev.heddle.ir.bundle.Manifest}. */
package dev.heddle.ir.bundle;
