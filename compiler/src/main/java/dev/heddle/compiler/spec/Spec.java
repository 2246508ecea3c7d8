package dev.heddle.compiler.spec;

import java.util.List;
import java.util.Optional;

/**
 * A parsed {@code *.model} file: what it says, not yet what it means for one model.
 *
 * @param file the name that diagnostics show
 * @param text the whole source, for diagnostics
 * @param model the model's name = general.architecture
 */
public record Spec(
    String file,
    String text,
    String model,
    List<Param> params,
    List<Config> configs,
    List<Weight> weights,
    List<Pattern> patterns,
    List<State> states,
    List<Def> defs,
    List<Layer> layers,
    List<GraphDef> graphs) {

  /**
   * A parameter.
   *
   * @param type int, float, bool, text or rope_scaling
   * @param length length of an array, or null
   * @param value a key (a text), or a formula
   * @param fallback default, or null
   */
  public record Param(
      Span span,
      String name,
      String type,
      Expr length,
      Expr value,
      Expr fallback,
      List<Requirement> requirements) {}

  /** A condition on parameters; {@code otherwise} is its sentence, or null. */
  public record Requirement(Span span, String written, Expr condition, String otherwise) {}

  /** A named model: values of parameters, flags ("tied"), optional weights that it has. */
  public record Config(
      Span span, String name, List<Setting> settings, List<String> flags, List<With> with) {
    /** True if the flag is set. */
    public boolean has(String flag) {
      return flags.contains(flag);
    }
  }

  /** {@code name=value} of a config. */
  public record Setting(Span span, String name, Expr value) {}

  /** An optional weight that a config has, and arguments for whoever makes its values. */
  public record With(Span span, String weight, List<Expr.Argument> arguments) {}

  /**
   * A weight.
   *
   * @param block the block it belongs to, or null
   * @param conditions all must hold for it to exist
   */
  public record Weight(
      Span span,
      String name,
      Block block,
      List<Expr> shape,
      String shapeWritten,
      List<Alternative> alternatives,
      boolean optional,
      List<Expr> conditions) {}

  /**
   * Weights repeated for {@code variable} from {@code from} to {@code to}, both included; tensor
   * names start "name.{l}.".
   */
  public record Block(Span span, String name, String variable, Expr from, Expr to) {}

  /**
   * One place where a weight's values may lie: a tensor, rows of it (from, to may be null), or
   * another weight.
   */
  public record Alternative(Span span, String tensor, String weight, Expr from, Expr to) {}

  /**
   * Tensors with this pattern (a star stands for any characters) are ignored, or refused when there
   * is a remedy.
   */
  public record Pattern(Span span, String pattern, String remedy) {}

  /** A state of each layer for which {@code when} holds (null = all). */
  public record State(
      Span span,
      String name,
      String variable,
      List<Expr> shape,
      String element,
      String rollback,
      Expr when) {}

  /** A function, inlined where it is called; {@code role} may be null. */
  public record Def(Span span, String name, List<String> parameters, String role, Body body) {}

  /** A kind of layer: taken where {@code when} holds (null = always). */
  public record Layer(Span span, String name, List<String> parameters, Expr when, Body body) {}

  /** A graph; {@code when} null = always; {@code bound} is a variable of {@code with}, or null. */
  public record GraphDef(
      Span span,
      String name,
      List<String> inputs,
      Expr when,
      String bound,
      Expr boundValue,
      Body body) {}

  /** Statements of a function. */
  public record Body(Span span, List<Statement> statements) {}

  /** A statement. */
  public sealed interface Statement {
    /** Names for the results of an expression. */
    record Assign(Span span, List<String> names, Expr value) implements Statement {}

    /** The result; {@code output} is its name in a graph, or null. */
    record Return(Span span, String output, Expr value) implements Statement {}

    /** A named value that may leave the graph; {@code value} null: the stream after each layer. */
    record Capture(Span span, String name, Expr value) implements Statement {}
  }

  /** The config with this name, whatever its case. */
  public Optional<Config> config(String name) {
    return configs.stream().filter(c -> c.name().equalsIgnoreCase(name)).findFirst();
  }
}
