package dev.heddle.text;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** Finds tokens that are written out in text, leftmost first and of several at one place the longest. */
final class SpecialTokens {
  private record Special(String text, int id) {}

  private final Map<Character, List<Special>> byFirst = new HashMap<>();

  /** The tokens of one of {@code types}. */
  SpecialTokens(Vocabulary vocabulary, List<TokenType> types) {
    for (int id = 0; id < vocabulary.tokens().size(); id++) {
      String text = vocabulary.tokens().get(id);
      if (!text.isEmpty() && types.contains(vocabulary.types().get(id))) {
        byFirst.computeIfAbsent(text.charAt(0), _ -> new ArrayList<>()).add(new Special(text, id));
      }
    }
    byFirst.values().forEach(list -> list.sort(Comparator.comparingInt((Special s) -> s.text().length()).reversed()));
  }

  /** Gives the stretches of plain text, none empty, and the special tokens between them, in order. */
  void split(String text, Consumer<String> plain, IntConsumer special) {
    int start = 0;
    int at = 0;
    while (at < text.length()) {
      Special found = find(text, at);
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

  private Special find(String text, int at) {
    List<Special> candidates = byFirst.get(text.charAt(at));
    if (candidates != null) {
      for (Special candidate : candidates) {
        if (text.startsWith(candidate.text(), at)) {
          return candidate;
        }
      }
    }
    return null;
  }
}
