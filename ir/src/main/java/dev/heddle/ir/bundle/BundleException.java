package dev.heddle.ir.bundle;

/**
 * The user's bundle cannot be used: the message is one sentence that names the file, what is wrong
 * and the next step.
 */
public final class BundleException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public BundleException(String message) {
    super(message);
  }

  public BundleException(String message, Throwable cause) {
    super(message, cause);
  }
}
