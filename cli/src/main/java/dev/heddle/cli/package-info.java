/**
 * The {@code heddle} command. {@link dev.heddle.cli.Main} is the tree of commands; each command is
 * a class that parses its options, calls the libraries and prints a screen or its JSON twin. {@link
 * dev.heddle.cli.Terminal} is where everything is printed, {@link dev.heddle.cli.Errors} maps
 * failures to sentences and exit codes. Nothing else in heddle prints.
 */
package dev.heddle.cli;
