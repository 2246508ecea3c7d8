package dev.heddle.ir;

/**
 * A graph that cannot be: an op whose inputs do not fit it, or a graph that breaks a rule. The
 * message is one sentence with the shapes or nodes concerned; who builds from a spec adds the
 * position.
 */
public final class GraphException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public GraphException(String message) {
    super(message);
  }
}
