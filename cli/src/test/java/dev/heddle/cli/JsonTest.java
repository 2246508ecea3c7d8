package dev.heddle.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
  record Point(int x, double y, String name) {}

  @Test
  void recordsAreObjectsInTheOrderOfTheirComponents() {
    assertEquals("{\"x\":1,\"y\":0.5,\"name\":\"a\"}", Json.line(new Point(1, 0.5, "a")));
  }

  @Test
  void textIsEscaped() {
    assertEquals("\"a\\\"b\\\\c\\n\\u0001é\"", Json.line("a\"b\\c\n\u0001é"));
  }

  @Test
  void halfACharacterIsEscaped() {
    assertEquals("\"\\ud83d\"", Json.line("\ud83d"));
    assertEquals("\"\ud83d\ude00\"", Json.line("\ud83d\ude00"));
  }

  @Test
  void whatIsNoNumberIsNull() {
    assertEquals("[1,null,null]", Json.line(List.of(1, Double.NaN, Float.POSITIVE_INFINITY)));
  }

  @Test
  void prettyTextIsIndentedAndListsOfNumbersStayInOneLine() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("ids", List.of(1, 2));
    map.put("names", List.of("a"));
    map.put("empty", Map.of());
    assertEquals(
        "{\n  \"ids\": [1, 2],\n  \"names\": [\n    \"a\"\n  ],\n  \"empty\": {}\n}",
        Json.pretty(map));
  }
}
