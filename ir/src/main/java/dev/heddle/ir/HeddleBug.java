package dev.heddle.ir;

/** A fault of heddle itself: the message says what was expected and how to report it. */
public final class HeddleBug extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public HeddleBug(String message) {
    super(
        message
            + " (this is a fault of heddle: please report it with the command and the model's name)");
  }

  public HeddleBug(String message, Throwable cause) {
    super(
        message
            + " (this is a fault of heddle: please report it with the command and the model's name)",
        cause);
  }
}
