package dev.heddle.ir.plan;

import dev.heddle.ir.plan.PlanKey.Rows;
import java.util.ArrayList;
import java.util.List;

/** The keys that a bundle has plans for. */
public final class PlanKeys {
  /** Buckets of step-class plans, ascending. */
  public static final List<Integer> STEP_BUCKETS = List.of(1, 2, 4, 8, 16, 32, 64);

  /** Tokens of a prompt chunk. */
  public static final int PROMPT_CHUNK = 512;

  private PlanKeys() {}

  /**
   * Steps of 1 to 64 rows, all of which may ask for logits; prompt chunks of 512, asking for one
   * row or for all.
   */
  public static List<PlanKey> standard() {
    List<PlanKey> keys = new ArrayList<>();
    for (int tokens : STEP_BUCKETS) {
      keys.add(new PlanKey(Rows.STEP, tokens, tokens));
    }
    keys.add(new PlanKey(Rows.PROMPT, PROMPT_CHUNK, 1));
    keys.add(new PlanKey(Rows.PROMPT, PROMPT_CHUNK, PROMPT_CHUNK));
    return keys;
  }
}
