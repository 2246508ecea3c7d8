package dev.heddle.ir.plan;

/**
 * What a plan was made for.
 *
 * @param rows decode and verify rows, or prompt rows
 * @param tokens the bucket: the largest T of a step that runs this plan
 * @param outRows the largest R: logits rows a step may ask for
 */
public record PlanKey(Rows rows, int tokens, int outRows) {
  /**
   * Step-class kernels keep one order of sums for any T up to 64; prompt-class kernels are for
   * chunks of up to 512.
   */
  public enum Rows {
    STEP,
    PROMPT
  }

  /** Short name, used in bundles and reports: {@code step-4}, {@code prompt-512-1}. */
  public String text() {
    return rows == Rows.STEP ? "step-" + tokens : "prompt-" + tokens + "-" + outRows;
  }
}
