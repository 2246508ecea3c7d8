package dev.heddle.passes.rewrite;

import java.util.function.BiFunction;

/**
 * A condition of a rule. All guards of a site are evaluated, also after one has failed, so each
 * must bear an incomplete match.
 *
 * @param name short name in reports
 * @param check the condition
 * @param <M> what the rule found around the anchor
 */
public record Guard<M>(String name, BiFunction<M, Edges, Answer> check) {
  /** A guard's answer. */
  public record Answer(boolean isPass, String sentence) {
    /** The condition holds. */
    public static Answer pass(String sentence) {
      return new Answer(true, sentence);
    }

    /** It does not, and the sentence says by which numbers. */
    public static Answer fail(String sentence) {
      return new Answer(false, sentence);
    }

    /** One sentence for either outcome. */
    public static Answer of(boolean isPass, String sentence) {
      return new Answer(isPass, sentence);
    }
  }

  Verdict verdict(M match, Edges edges) {
    Answer answer = check.apply(match, edges);
    return new Verdict(name, answer.isPass(), answer.sentence());
  }
}
