package dev.heddle.cli;

import dev.heddle.runtime.Executor;
import dev.heddle.runtime.generate.Generator;
import dev.heddle.runtime.generate.Sampler;
import dev.heddle.text.ChatMessage;
import dev.heddle.text.ChatTemplate;
import dev.heddle.text.Detokenizer;
import dev.heddle.text.Tokenizer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Text from a model. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Continue a text, or talk through the model's chat template; prints the text as it is made.")
final class RunCommand implements Callable<Integer> {
  private final Terminal terminal;
  @ParentCommand private Main main;
  @Mixin private ModelOptions model;

  @Option(
      names = {"-p", "--prompt"},
      paramLabel = "TEXT",
      description = "the text to continue, or the question with --chat; without it: standard input")
  private String prompt;

  @Option(
      names = "--chat",
      description =
          "use the model's chat template; without --prompt each line of standard input is a turn")
  private boolean isChat;

  @Option(names = "--system", paramLabel = "TEXT", description = "system message of the chat")
  private String system;

  @Option(
      names = {"-n", "--max-tokens"},
      paramLabel = "N",
      defaultValue = "256",
      description = "tokens to make at most (default: ${DEFAULT-VALUE})")
  private int maxTokens;

  @Mixin private SamplingOptions sampling;
  @Mixin private TargetOptions target;

  @Option(names = "--json", description = "print one JSON object at the end instead of the text")
  private boolean isJson;

  RunCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    if (maxTokens < 1) {
      throw new UsageException("--max-tokens is at least 1, not " + maxTokens);
    }
    Preparation preparation = new Preparation(terminal, model, target);
    PreparedModel prepared = preparation.prepare();
    Tokenizer tokenizer;
    String text;
    boolean isConversation = isChat && prompt == null;
    try {
      tokenizer = prepared.tokenizer();
      tokenizer.warnings().forEach(terminal.err()::println);
      text = isConversation ? "" : prompt != null ? prompt : read();
    } catch (RuntimeException | IOException e) {
      prepared.close();
      throw e;
    }
    Talk talk = new Talk(tokenizer, isChat ? ChatTemplate.of(tokenizer.vocabulary()) : null);
    int[] ids = isConversation ? new int[0] : talk.encode(text);
    int context = isConversation ? Integer.MAX_VALUE : ids.length + maxTokens;
    try (LoadedModel loaded = preparation.load(prepared, context, 1);
        Executor executor = loaded.model().newExecutor()) {
      Sampler sampler = sampling.sampler(tokenizer, loaded.manifest().vocabulary());
      if (!isConversation) {
        answer(talk, executor, executor.open(), ids, sampler);
        return Errors.DONE;
      }
      BufferedReader lines =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      while (true) {
        if (terminal.errIsTerminal()) {
          terminal.err().print("> ");
          terminal.err().flush();
        }
        String line = lines.readLine();
        if (line == null) {
          return Errors.DONE;
        }
        if (!line.isBlank()) {
          int slot = executor.open();
          String said = answer(talk, executor, slot, talk.encode(line), sampler);
          executor.release(slot);
          talk.heard(said);
        }
      }
    }
  }

  private String read() throws IOException {
    String text = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
    if (text.isEmpty()) {
      throw new UsageException(
          "nothing to continue: give --prompt TEXT, or text on standard input");
    }
    return text;
  }

  private String answer(Talk talk, Executor executor, int slot, int[] ids, Sampler sampler) {
    if (ids.length == 0) {
      throw new UsageException("the prompt is empty: give at least one character");
    }
    PrintStream out = terminal.out();
    Detokenizer detokenizer = talk.tokenizer.detokenizer(false);
    StringBuilder text = new StringBuilder();
    Set<Integer> stops = IntStream.of(talk.tokenizer.stopIds()).boxed().collect(Collectors.toSet());
    if (!isJson && !isChat) {
      out.print(prompt == null ? "" : terminal.dim(prompt));
      out.flush();
    }
    Generator.Generation made =
        Generator.generate(
            executor,
            slot,
            ids,
            sampler,
            new Generator.Limits(maxTokens, stops),
            id -> {
              say(detokenizer.accept(id), text);
              return true;
            });
    say(detokenizer.flush(), text);
    if (isJson) {
      out.println(Json.pretty(json(text.toString(), made)));
    } else {
      out.println();
      if (!main.isQuiet()) {
        terminal
            .err()
            .printf(
                Locale.ROOT,
                "%d tokens · %.0f tok/s · first token %.0f ms%s%n",
                made.ids().length,
                made.timing().decodeRate(),
                made.timing().firstTokenMillis(),
                switch (made.end()) {
                  case MAX_TOKENS -> " · stopped at --max-tokens";
                  case CONTEXT_FULL -> " · stopped at the end of the context";
                  case STOP_ID, LISTENER -> "";
                });
      }
    }
    return text.toString();
  }

  private void say(String piece, StringBuilder text) {
    text.append(piece);
    if (!isJson && !piece.isEmpty()) {
      terminal.out().print(piece);
      terminal.out().flush();
    }
  }

  private Map<String, Object> json(String text, Generator.Generation made) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("text", text);
    json.put("ids", made.ids());
    json.put("end", made.end().name().toLowerCase(Locale.ROOT));
    json.put("promptTokens", made.timing().promptTokens());
    json.put("tokens", made.ids().length);
    json.put("tokensPerSecond", made.timing().decodeRate());
    json.put("promptTokensPerSecond", made.timing().promptRate());
    json.put("firstTokenMillis", made.timing().firstTokenMillis());
    return json;
  }

  /** A text, or a conversation with its turns so far. */
  private final class Talk {
    private final Tokenizer tokenizer;
    private final ChatTemplate template;
    private final List<ChatMessage> turns = new ArrayList<>();

    Talk(Tokenizer tokenizer, ChatTemplate template) {
      this.tokenizer = tokenizer;
      this.template = template;
      if (system != null) {
        turns.add(new ChatMessage("system", system));
      }
    }

    int[] encode(String text) {
      if (template == null) {
        return tokenizer.encode(text, false, true);
      }
      turns.add(new ChatMessage("user", text));
      return tokenizer.encode(template.render(turns, true));
    }

    void heard(String answer) {
      turns.add(new ChatMessage("assistant", answer));
    }
  }
}
