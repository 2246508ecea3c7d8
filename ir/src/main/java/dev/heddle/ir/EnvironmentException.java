package dev.heddle.ir;

/**
 * The environment lacks something (tool, driver, device, memory): exit code 3. The message is a
 * sentence with the next step.
 */
public final class EnvironmentException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public EnvironmentException(String message) {
    super(message);
  }

  public EnvironmentException(String message, Throwable cause) {
    super(message, cause);
  }
}
