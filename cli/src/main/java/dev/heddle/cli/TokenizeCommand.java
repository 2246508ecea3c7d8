package dev.heddle.cli;

import dev.heddle.gguf.GgufFile;
import dev.heddle.text.Tokenizer;
import dev.heddle.text.Vocabulary;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Text to token ids and back, by a model's own vocabulary. */
@Command(
    name = "tokenize",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Print the token ids of a text, or the text of token ids, by a GGUF's vocabulary.")
final class TokenizeCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(index = "0", paramLabel = "MODEL.gguf", description = "file with the vocabulary")
  private Path model;

  @Parameters(index = "1", arity = "0..1", paramLabel = "TEXT", description = "text to encode")
  private String text;

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE",
      description = "encode this file's text (UTF-8)")
  private Path file;

  @Option(
      names = "--ids",
      split = ",",
      paramLabel = "N",
      description = "decode these token ids, separated by commas")
  private int[] ids;

  @Option(
      names = "--special",
      description =
          "recognise control tokens that stand in the text, as in a chat template's output")
  private boolean parsesSpecial;

  @Option(names = "--bos", description = "begin with BOS if the model wants one")
  private boolean addsBos;

  @Option(names = "--json", description = "print JSON")
  private boolean isJson;

  TokenizeCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    if ((text == null ? 0 : 1) + (file == null ? 0 : 1) + (ids == null ? 0 : 1) != 1) {
      throw new UsageException("give one of a text, --file FILE and --ids N,N,..");
    }
    try (GgufFile gguf = GgufFile.open(model)) {
      Tokenizer tokenizer = Tokenizer.of(Vocabulary.of(gguf));
      for (String warning : tokenizer.warnings()) {
        terminal.err().println(warning);
      }
      return ids == null ? encode(tokenizer) : decode(tokenizer);
    }
  }

  private int encode(Tokenizer tokenizer) throws IOException {
    String input = text != null ? text : Files.readString(file, StandardCharsets.UTF_8);
    int[] encoded = tokenizer.encode(input, parsesSpecial, addsBos);
    if (isJson) {
      List<String> tokens = new ArrayList<>();
      for (int id : encoded) {
        tokens.add(new String(tokenizer.bytes(id), StandardCharsets.UTF_8));
      }
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("ids", encoded);
      json.put("tokens", tokens);
      terminal.out().println(Json.pretty(json));
    } else {
      terminal
          .out()
          .println(
              IntStream.of(encoded).mapToObj(Integer::toString).collect(Collectors.joining(",")));
    }
    return Errors.DONE;
  }

  private int decode(Tokenizer tokenizer) {
    for (int id : ids) {
      if (id < 0 || id >= tokenizer.size()) {
        throw new UsageException(
            "--ids: token "
                + id
                + " is not in the vocabulary of "
                + model
                + ", whose ids are 0 to "
                + (tokenizer.size() - 1));
      }
    }
    String decoded = tokenizer.decode(ids, true);
    terminal.out().println(isJson ? Json.pretty(Map.of("text", decoded)) : decoded);
    return Errors.DONE;
  }
}
