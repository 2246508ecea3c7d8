package dev.heddle.passes.rewrite;

import java.util.List;

/**
 * A candidate of a rule, and what became of it.
 *
 * @param rule the rule's name
 * @param anchor the anchor in words ({@code %12 = combine})
 * @param layer the model layer, or -1
 * @param source position in the spec
 * @param isFired whether the rule fired here
 * @param saved launches that went away
 * @param verdicts what every guard said
 */
public record Site(
    String rule,
    String anchor,
    int layer,
    String source,
    boolean isFired,
    int saved,
    List<Verdict> verdicts) {
  public Site {
    verdicts = List.copyOf(verdicts);
  }
}
