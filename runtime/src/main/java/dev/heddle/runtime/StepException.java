package dev.heddle.runtime;

/**
 * A step that cannot be run as asked (an unknown token id, a full context): one sentence with the
 * next step. Nothing has changed.
 */
public class StepException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StepException(String message) {
    super(message);
  }
}
