package dev.heddle.ir;

/**
 * The text form of graphs: a head line, one line a node, one line an output. {@code
 * parse(print(g)).equals(g)} for every graph that the verifier accepts.
 *
 * <pre>
 * graph main
 * %0 = input(kind=ids) : i32[T]
 * %1 = @token_embd.weight : q8_0{2048, 151936}
 * %2 = embed(@token_embd.weight, %0, scale=1) : f32[T, 2048]  ; qwen3.model:41:7
 * %3 = @blk.0.attn_norm.weight : f32{2048}
 * %4 = rms_norm(%2, @blk.0.attn_norm.weight, eps=1e-6) : f32[T, 2048]  ; layer 0 attn  qwen3.model:50:3 from a.model:6
 * output hidden = %4
 * </pre>
 *
 * <p>A weight is referred to by its name, with {@code [from:to]} where only rows are taken.
 * Optional inputs are named after the flag that announces them ({@code bias=@b}), except a norm's
 * weight, which is positional. Names that are not plain words stand in double quotes. Lines that
 * begin with {@code #} and empty lines mean nothing.
 */
public final class GraphText {
  private GraphText() {}

  /** The graph as text. */
  public static String print(Graph graph) {
    return new GraphPrinter(graph).print();
  }

  /** One node as its line in {@code graph}, without a line end. */
  public static String print(Graph graph, Node node) {
    return new GraphPrinter(graph).line(node);
  }

  /**
   * The graph that a text describes. The text's form is checked, not the graph's rules: {@link
   * Verifier} does that.
   *
   * @throws GraphParseException with line and column
   */
  public static Graph parse(String text) {
    return new GraphParser(text).parse();
  }
}
