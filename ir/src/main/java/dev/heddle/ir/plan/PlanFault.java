package dev.heddle.ir.plan;

/**
 * A plan that is wrong: the sentence names the launch, the buffer and the graph nodes concerned.
 */
public final class PlanFault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public PlanFault(String message) {
    super(message);
  }

  public PlanFault(String message, Throwable cause) {
    super(message, cause);
  }
}
