package dev.heddle.codegen.jvm;

/**
 * One generated kernel class.
 *
 * @param className binary name, in package {@code dev.heddle.generated}
 * @param source Java source
 */
public record KernelSource(String className, String source) {}
