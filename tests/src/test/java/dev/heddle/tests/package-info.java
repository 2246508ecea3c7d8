/**
 * End-to-end tests: the whole chain against reference values computed by other programs. Start at
 * the goldens.
 */
package dev.heddle.tests;
