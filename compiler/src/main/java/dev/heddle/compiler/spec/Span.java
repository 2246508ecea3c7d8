package dev.heddle.compiler.spec;

/**
 * A place in a spec.
 *
 * @param line from 1
 * @param column from 1
 * @param length characters to underline, at least 1
 */
public record Span(int line, int column, int length) {}
