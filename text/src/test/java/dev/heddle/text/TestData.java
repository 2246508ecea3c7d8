package dev.heddle.text;

import dev.heddle.gguf.GgufFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Files that tests of this package read, and vocabularies made for them. */
final class TestData {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Qwen3's 26 added tokens, from id 151643; those from the 14th are user-defined. */
  private static final List<String> QWEN3_ADDED =
      List.of(
          "<|endoftext|>",
          "<|im_start|>",
          "<|im_end|>",
          "<|object_ref_start|>",
          "<|object_ref_end|>",
          "<|box_start|>",
          "<|box_end|>",
          "<|quad_start|>",
          "<|quad_end|>",
          "<|vision_start|>",
          "<|vision_end|>",
          "<|vision_pad|>",
          "<|image_pad|>",
          "<|video_pad|>",
          "<tool_call>",
          "</tool_call>",
          "<|fim_prefix|>",
          "<|fim_middle|>",
          "<|fim_suffix|>",
          "<|fim_pad|>",
          "<|repo_name|>",
          "<|file_sep|>",
          "<tool_response>",
          "</tool_response>",
          "<think>",
          "</think>");

  private static final int QWEN3_CONTROL = 14;

  private TestData() {}

  static byte[] resource(String name) {
    try (InputStream in = TestData.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static JsonNode json(String resource) {
    return JSON.readTree(resource(resource));
  }

  static JsonNode json(Path file) {
    return JSON.readTree(bytes(file));
  }

  static byte[] bytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A file of the repository, by its path from the root. */
  static Path repository(String path) {
    return Path.of(System.getProperty("basedir", ".")).toAbsolutePath().getParent().resolve(path);
  }

  static Vocabulary vocabulary(Path gguf) {
    try (GgufFile file = GgufFile.open(gguf)) {
      return Vocabulary.of(file);
    }
  }

  static Tokenizer golden(String pre) {
    try {
      return Tokenizer.of(
          vocabulary(Path.of(TestData.class.getResource("golden/" + pre + ".gguf").toURI())));
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Qwen3's real vocabulary with the given way of splitting. */
  static Tokenizer qwen3(String pre) {
    PackedMerges.Unpacked packed = PackedMerges.read("qwen3.merges.gz");
    List<String> tokens = new ArrayList<>(packed.tokens());
    List<TokenType> types = new ArrayList<>(Collections.nCopies(tokens.size(), TokenType.NORMAL));
    for (int i = 0; i < QWEN3_ADDED.size(); i++) {
      tokens.add(QWEN3_ADDED.get(i));
      types.add(i < QWEN3_CONTROL ? TokenType.CONTROL : TokenType.USER_DEFINED);
    }
    return Tokenizer.of(
        new Vocabulary(
            "qwen3",
            "qwen3",
            "gpt2",
            Optional.of(pre),
            tokens,
            types,
            packed.merges(),
            OptionalInt.empty(),
            List.of(151645),
            Optional.of(false),
            Optional.empty()));
  }

  static int[] ints(JsonNode array) {
    int[] values = new int[array.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = array.get(i).intValue();
    }
    return values;
  }
}
