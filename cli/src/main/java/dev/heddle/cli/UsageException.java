package dev.heddle.cli;

/**
 * The command line asks for something that does not exist or fit: exit code 2. The message is a
 * sentence with a next step.
 */
final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
