package dev.heddle.cli;

import picocli.CommandLine.IVersionProvider;

/** heddle's version, for {@code heddle --version} and the first line of screens. */
final class Version implements IVersionProvider {
  /** The same as in pom.xml; a test compares them. */
  static final String HEDDLE = "0.1.0";

  @Override
  public String[] getVersion() {
    return new String[] {line()};
  }

  /** {@code heddle 0.1.0 · JDK 25.0.3}. */
  static String line() {
    return "heddle " + HEDDLE + " · JDK " + Runtime.version().toString().replaceAll("[+-].*", "");
  }
}
