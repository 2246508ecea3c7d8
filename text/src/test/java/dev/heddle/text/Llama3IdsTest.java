package dev.heddle.text;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * Llama 3.1's real vocabulary, which may not be stored here: {@code .ci/check-llama3-ids} fetches
 * it and passes the path of its {@code tokenizer.json} as the property {@code
 * heddle.llama3.tokenizer}.
 */
@Tag("needs-npm-llama3")
class Llama3IdsTest {

  @Test
  void llama31GivesTheReferencesIds() throws IOException {
    Tokenizer tokenizer =
        Tokenizer.of(
            vocabulary(TestData.json(Path.of(System.getProperty("heddle.llama3.tokenizer")))));
    JsonNode cases = TestData.json("llama3_1.ids.json").get("cases");
    assertEquals(200, cases.size());
    int ids = 0;
    for (JsonNode c : cases) {
      String text = c.get("text").stringValue();
      int[] expected = TestData.ints(c.get("ids"));
      assertArrayEquals(expected, tokenizer.encode(text, true, false), c.toString());
      assertEquals(text, tokenizer.decode(expected, true), c.toString());
      ids += expected.length;
      for (int i = 0; c.has("piece_bytes") && i < expected.length; i++) {
        assertEquals(
            c.get("piece_bytes").get(i).stringValue(),
            HexFormat.of().formatHex(tokenizer.bytes(expected[i])),
            c.toString());
      }
    }
    Files.writeString(
        Path.of("target", "llama3-ids.txt"),
        "Llama 3.1: "
            + cases.size()
            + " of "
            + cases.size()
            + " texts give the reference's ids ("
            + ids
            + " ids)\n");
  }

  private static Vocabulary vocabulary(JsonNode file) {
    JsonNode model = file.get("model");
    JsonNode added = file.get("added_tokens");
    int size = model.get("vocab").size() + added.size();
    List<String> tokens = new ArrayList<>(Collections.nCopies(size, ""));
    List<TokenType> types = new ArrayList<>(Collections.nCopies(size, TokenType.NORMAL));
    model.get("vocab").properties().forEach(e -> tokens.set(e.getValue().intValue(), e.getKey()));
    for (JsonNode token : added) {
      tokens.set(token.get("id").intValue(), token.get("content").stringValue());
      types.set(token.get("id").intValue(), TokenType.CONTROL);
    }
    List<String> merges = new ArrayList<>();
    model.get("merges").forEach(m -> merges.add(m.stringValue()));
    return new Vocabulary(
        "llama3_1",
        "llama",
        "gpt2",
        Optional.of("llama-bpe"),
        tokens,
        types,
        merges,
        OptionalInt.of(128_000),
        List.of(128_009),
        Optional.empty(),
        Optional.empty());
  }
}
