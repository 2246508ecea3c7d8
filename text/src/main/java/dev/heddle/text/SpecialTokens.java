package dev.heddle.text;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * Finds control and user-defined tokens that are written out in text, leftmost first and of several
 * at one place the longest. In words that a user wrote only the user-defined ones count.
 */
final class SpecialTokens {
  private record Special(String text, int id, boolean isControl) {}

  private final Map<Character, List<Special>> byFirst = new HashMap<>();

  SpecialTokens(Vocabulary vocabulary) {
    for (int id = 0; id < vocabulary.tokens().size(); id++) {
      String text = vocabulary.tokens().get(id);
      TokenType type = vocabulary.types().get(id);
      if (!text.isEmpty() && (type == TokenType.CONTROL || type == TokenType.USER_DEFINED)) {
        Special special = new Special(text, id, type == TokenType.CONTROL);
        byFirst.computeIfAbsent(text.charAt(0), _ -> new ArrayList<>()).add(special);
      }
    }
    byFirst
        .values()
        .forEach(list ->
            list.sort(Comparator.comparingInt((Special s) -> s.text().length()).reversed()));
  }

  /**
   * Gives the stretches of plain text, none empty, and the special tokens between them, in order.
   *
   * @param users the chars that a user wrote: a control token with any of them is plain text
   */
  void split(String text, BitSet users, Consumer<String> plain, IntConsumer special) {
    int start = 0;
    int at = 0;
    while (at < text.length()) {
      Special found = find(text, users, at);
      if (found == null) {
        at++;
        continue;
      }
      if (at > start) {
        plain.accept(text.substring(start, at));
      }
      special.accept(found.id());
      at += found.text().length();
      start = at;
    }
    if (start < text.length()) {
      plain.accept(text.substring(start));
    }
  }

  private Special find(String text, BitSet users, int at) {
    List<Special> candidates = byFirst.get(text.charAt(at));
    if (candidates != null) {
      for (Special candidate : candidates) {
        if (text.startsWith(candidate.text(), at)
            && !(candidate.isControl() && touches(users, at, candidate.text().length()))) {
          return candidate;
        }
      }
    }
    return null;
  }

  private static boolean touches(BitSet users, int at, int length) {
    int next = users.nextSetBit(at);
    return next >= 0 && next < at + length;
  }
}
