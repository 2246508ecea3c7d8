/**
 * Rules of the house, checked over the compiled classes and the sources: which module may use
 * which, names, sizes.
 */
package dev.heddle.tests.architecture;
