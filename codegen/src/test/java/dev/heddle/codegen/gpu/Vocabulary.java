package dev.heddle.codegen.gpu;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which words a generated body may use: those of prelude_common.h, C's, the constants defined above
 * it, and names it declares.
 */
final class Vocabulary {
  private static final Pattern TOKEN =
      Pattern.compile(
          "(?<word>[A-Za-z_]\\w*)|(?<number>0[xX][0-9a-fA-F.]+(?:p[-+]?\\d+)?[uf]?|\\d[\\w.]*)|(?<mark>[^\\s\\w])");

  private static final Set<String> TYPES =
      Set.of("i8", "u8", "u16", "i32", "u32", "u64", "f32", "i32x2", "i32x4");

  private static final Set<String> C =
      Set.of("const", "if", "else", "for", "return", "continue", "break");

  private static final Set<String> WORDS =
      Set.of(
          "KERNEL",
          "EXPORT",
          "GLOBAL",
          "SHARED",
          "THREAD",
          "BLOCK_X",
          "BLOCK_Y",
          "LANE",
          "WAVE",
          "UNROLL",
          "BARRIER",
          "FENCE",
          "INF",
          "NOT_A_NUMBER",
          "LEAST",
          "dot4",
          "ld32",
          "ld128",
          "ld64_keep",
          "ld128_keep",
          "f16_to_f32",
          "f32_to_f16",
          "fma_",
          "sqrt_",
          "rint_",
          "fabs_",
          "atomic_add_u",
          "bits_to_f32",
          "f32_to_bits",
          "min_i",
          "max_",
          "byte_f32",
          "exp_",
          "tanh_",
          "sigmoid_",
          "silu_",
          "relu_",
          "gelu_tanh_",
          "gelu_erf_",
          "softplus_",
          "clamp_",
          "wave_sum",
          "group_sum",
          "wave_sum_i",
          "wave_max_i",
          "block_sum",
          "block_max",
          "rank_key",
          "rank_index",
          "block_max_key",
          "shfl_i",
          "shfl_f",
          "shfl_xor_i",
          "shfl_xor_f");

  private static final Set<String> MEMBERS = Set.of("x", "y", "z", "w");

  private Vocabulary() {}

  /** The first word of a body, with its constants, that it may not use. */
  static Optional<String> stranger(String text) {
    Set<String> known = new HashSet<>(WORDS);
    known.addAll(TYPES);
    known.addAll(C);
    StringBuilder body = new StringBuilder();
    for (String line : text.replaceAll("(?s)/\\*.*?\\*/", "").lines().toList()) {
      if (line.startsWith("#define ")) {
        known.add(line.split(" ")[1]);
        body.append(line.split(" ", 3)[2]).append('\n');
      } else if (!line.startsWith("#undef ")) {
        body.append(line).append('\n');
      }
    }
    return stranger(tokens(body.toString()), known);
  }

  private static Optional<String> stranger(List<String> tokens, Set<String> known) {
    for (int i = 0; i < tokens.size(); i++) {
      String token = tokens.get(i);
      String before = i == 0 ? "" : tokens.get(i - 1);
      if (token.equals("#")) {
        return Optional.of("#");
      }
      if (token.equals("KERNEL") || token.equals("GLOBAL") || token.equals("SHARED")) {
        known.add(tokens.get(token.equals("KERNEL") ? i + 2 : i + 4));
      }
      if (TYPES.contains(token)) {
        declare(tokens, i + 1, known);
      }
      boolean isMember = before.equals(".") && MEMBERS.contains(token);
      if (isWord(token) && !isMember && !known.contains(token)) {
        return Optional.of(token);
      }
    }
    return Optional.empty();
  }

  /**
   * Adds the names that follow a type: a, *b = .., c[..], up to the end of the statement; one name
   * for a parameter.
   */
  private static void declare(List<String> tokens, int from, Set<String> known) {
    int depth = 0;
    boolean isName = true;
    for (int i = from; i < tokens.size(); i++) {
      String token = tokens.get(i);
      if (token.equals("(") || token.equals("[")) {
        depth++;
      } else if (token.equals(")") || token.equals("]")) {
        depth--;
      }
      if (depth < 0
          || token.equals(";")
          || depth == 0 && (TYPES.contains(token) || token.equals("const"))) {
        return; // the end, a cast, or the next parameter
      }
      if (depth == 0 && isWord(token) && isName) {
        known.add(token);
        isName = false;
      } else if (depth == 0 && token.equals(",")) {
        isName = true;
      } else if (!token.equals("*")) {
        isName = false;
      }
    }
  }

  private static boolean isWord(String token) {
    return Character.isLetter(token.charAt(0)) || token.charAt(0) == '_';
  }

  private static List<String> tokens(String text) {
    List<String> tokens = new ArrayList<>();
    Matcher matcher = TOKEN.matcher(text);
    while (matcher.find()) {
      if (matcher.group("number") == null) {
        tokens.add(matcher.group());
      } else {
        tokens.add("0");
      }
    }
    return tokens;
  }
}
