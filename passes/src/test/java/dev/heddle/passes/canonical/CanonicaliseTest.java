package dev.heddle.passes.canonical;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.heddle.ir.DType;
import dev.heddle.ir.Dim;
import dev.heddle.ir.Graph;
import dev.heddle.ir.GraphBuilder;
import dev.heddle.ir.GraphText;
import dev.heddle.ir.Op;
import dev.heddle.ir.Shape;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.Value;
import dev.heddle.ir.Verifier;
import dev.heddle.ir.target.Target;
import dev.heddle.passes.PassContext;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class CanonicaliseTest {
  @Test
  void expandsARouterThatRenormalises() {
    assertEquals(
        """
        %3 = softmax(%2) : f32[T, 8]
        %4 = top_k(%3, k=2) : i32[T, 2]
        %5 = get_rows(%3, %4) : f32[T, 2]
        %6 = sum(%5) : f32[T, 1]
        %7 = clamp(%6, min=6.103515625e-5, max=inf) : f32[T, 1]
        %8 = div(%5, %7) : f32[T, 2]
        %9 = scale(%8, c=2.5) : f32[T, 2]
        """,
        canonical(
            8,
            g ->
                x ->
                    g.addAll(new Op.Router(Op.Score.SOFTMAX, 2, 0x1p-14, 2.5, false), List.of(x))
                        .get(1)));
  }

  @Test
  void expandsARouterWhoseBiasOnlyChooses() {
    assertEquals(
        """
        %3 = @bias : f32{8}
        %4 = softplus(%2) : f32[T, 8]
        %5 = sqrt(%4) : f32[T, 8]
        %6 = add(%5, @bias) : f32[T, 8]
        %7 = top_k(%6, k=2) : i32[T, 2]
        %8 = get_rows(%5, %7) : f32[T, 2]
        """,
        canonical(
            8,
            g ->
                x -> {
                  Value bias = g.weight("bias", TensorType.weight(DType.F32, 8));
                  return g.addAll(
                          new Op.Router(Op.Score.SQRT_SOFTPLUS, 2, 0, 1, true), List.of(x, bias))
                      .get(1);
                }));
  }

  @Test
  void foldsReshapesOfReshapesAndDropsThoseThatChangeNothing() {
    assertEquals(
        """
        %3 = neg(%2) : f32[T, 8]
        """,
        canonical(
            8,
            g ->
                x -> g.add(new Op.Neg(), reshaped(g, reshaped(g, reshaped(g, x, 2, 4), 4, 2), 8))));
    assertEquals(
        """
        %3 = reshape(%2, shape=[T, 4, 2]) : f32[T, 4, 2]
        """,
        canonical(8, g -> x -> reshaped(g, reshaped(g, x, 2, 4), 4, 2)));
  }

  @Test
  void foldsSlicesOfSlicesAndDropsWholeOnes() {
    assertEquals(
        """
        %3 = slice(%2, dim=1, from=3, to=5) : f32[T, 2]
        """,
        canonical(
            8,
            g ->
                x ->
                    g.add(
                        new Op.Slice(1, 0, 2),
                        g.add(
                            new Op.Slice(-1, 1, 4),
                            g.add(new Op.Slice(-1, 2, 8), g.add(new Op.Slice(1, 0, 8), x))))));
  }

  @Test
  void takesRowsOfAWeightAtTheWeight() {
    assertEquals(
        """
        %3 = @w[8:12] : q8_0{32, 4}
        %4 = matmul(@w[8:12], %2) : f32[T, 4]
        """,
        canonical(
            32,
            g ->
                x -> {
                  Value rows = g.weight("w", 4, 20, TensorType.weight(DType.Q8_0, 32, 16));
                  return g.add(new Op.Matmul(false, false), g.add(new Op.Slice(1, 4, 8), rows), x);
                }));
  }

  @Test
  void gateAndUpOfStackedExpertsAreOneProduct() {
    GraphBuilder g = new GraphBuilder();
    Value x = embedded(g, 32);
    Value ids = g.add(new Op.TopK(2), x);
    Value gate = g.weight("gate_up", 0, 16, TensorType.weight(DType.Q8_0, 32, 16, 40));
    Value up = g.weight("gate_up", 16, 32, TensorType.weight(DType.Q8_0, 32, 16, 40));
    Value gated = g.add(new Op.MatmulId(false, false), gate, x, ids);
    g.output(
        "out",
        g.add(new Op.Glu(Op.Act.SILU), gated, g.add(new Op.MatmulId(false, false), up, x, ids)));

    String text = GraphText.print(applied(g.build("main"), Set.of()));

    assertEquals(
        """
        %4 = @gate_up : q8_0{32, 32, 40}
        %5 = matmul_id(@gate_up, %2, %3) : f32[T, 2, 32]
        %6 = slice(%5, dim=2, from=0, to=16) : f32[T, 2, 16]
        %7 = slice(%5, dim=2, from=16, to=32) : f32[T, 2, 16]
        %8 = glu(%6, %7, act=silu) : f32[T, 2, 16]
        output out = %8
        """,
        text.substring(text.indexOf("%4")));
  }

  @Test
  void dropsScalingByOneAndClampsWithoutBounds() {
    assertEquals(
        """
        %3 = neg(%2) : f32[T, 8]
        """,
        canonical(
            8,
            g ->
                x ->
                    g.add(
                        new Op.Neg(),
                        g.add(
                            new Op.Clamp(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY),
                            g.add(new Op.Scale(1), x)))));
  }

  @Test
  void foldsConstantsAndScalesByThem() {
    assertEquals(
        """
        %3 = scale(%2, c=-6) : f32[T, 8]
        """,
        canonical(
            8,
            g ->
                x ->
                    g.add(
                        new Op.Mul(),
                        x,
                        g.add(new Op.Neg(), g.add(new Op.Mul(), g.constant(2), g.constant(3))))));
  }

  @Test
  void doesNotFoldConstantsWhereF32AndF64Differ() {
    assertEquals(
        """
        %3 = constant(value=1) : f32[1]
        %4 = constant(value=3) : f32[1]
        %5 = div(%3, %4) : f32[1]
        %6 = mul(%2, %5) : f32[T, 8]
        """,
        canonical(
            8,
            g -> x -> g.add(new Op.Mul(), x, g.add(new Op.Div(), g.constant(1), g.constant(3)))));
  }

  @Test
  void mergesEqualNodes() {
    assertEquals(
        """
        %3 = silu(%2) : f32[T, 8]
        %4 = mul(%3, %3) : f32[T, 8]
        """,
        canonical(
            8, g -> x -> g.add(new Op.Mul(), g.add(new Op.Silu(), x), g.add(new Op.Silu(), x))));
  }

  @Test
  void theOrderOfCommutativeInputsIsNoMatterOfHowTheyAreWritten() {
    Function<GraphBuilder, Function<Value, Value>> oneWay =
        g -> x -> g.add(new Op.Add(), g.add(new Op.Silu(), x), g.add(new Op.Neg(), x));
    Function<GraphBuilder, Function<Value, Value>> other =
        g ->
            x -> {
              Value silu = g.add(new Op.Silu(), x);
              Value neg = g.add(new Op.Neg(), x);
              return g.add(new Op.Add(), neg, silu);
            };

    assertEquals(canonical(8, oneWay), canonical(8, other));
  }

  @Test
  void splitsACombineIntoTheSumsOfItsDefinition() {
    GraphBuilder g = new GraphBuilder();
    Value x = embedded(g, 8);
    Value y = reshaped(g, x, 2, 4);
    Value w = g.add(new Op.Slice(1, 0, 2), x);
    Value shared = g.add(new Op.Slice(1, 0, 4), x);
    Value gate = g.add(new Op.Slice(1, 4, 5), x);
    Value residual = g.add(new Op.Slice(1, 4, 8), x);
    g.output("out", g.add(new Op.Combine(true, true, true), y, w, shared, gate, residual));

    String text = GraphText.print(applied(g.build("main"), Set.of()));

    assertEquals(
        """
        %8 = combine(%3, %4) : f32[T, 4]
        %9 = mul(%5, %6) : f32[T, 4]
        %10 = add(%8, %9) : f32[T, 4]
        %11 = add(%7, %10) : f32[T, 4]
        """,
        text.lines()
            .filter(l -> l.matches("%(8|9|10|11) .*"))
            .map(l -> l + "\n")
            .reduce("", String::concat));
  }

  @Test
  void dropsDeadNodesAndCapturesThatNobodyAskedFor() {
    GraphBuilder g = new GraphBuilder();
    Value x = embedded(g, 8);
    g.add(new Op.Exp(), x);
    Value hidden = g.add(new Op.Capture("hidden"), x);
    g.output("out", g.add(new Op.Neg(), hidden));

    assertEquals(
        List.of("input", "weight", "embed", "neg"), ops(applied(g.build("main"), Set.of())));
    Graph asked = applied(g.build("main"), Set.of("hidden"));
    assertEquals(List.of("input", "weight", "embed", "capture", "neg"), ops(asked));
    assertEquals(
        List.of("out", "hidden"), asked.outputs().stream().map(Graph.Output::name).toList());
  }

  @Test
  void aCaptureOfALayerIsAskedForAloneOrWithAllLayers() {
    GraphBuilder g = new GraphBuilder();
    Value x = g.add(new Op.Capture("hidden[0]"), embedded(g, 8));
    g.output("hidden[0]", x);
    g.output("out", g.add(new Op.Neg(), x));
    Graph graph = g.build("main");

    assertEquals(List.of("out"), names(applied(graph, Set.of("hidden[1]"))));
    assertEquals(List.of("hidden[0]", "out"), names(applied(graph, Set.of("hidden[0]"))));
    assertEquals(List.of("hidden[0]", "out"), names(applied(graph, Set.of("hidden"))));
  }

  @Test
  void stateUpdatesAreNeverMerged() {
    GraphBuilder g = new GraphBuilder();
    Value x = reshaped(g, embedded(g, 8), 2, 4);
    Value pos = g.input(Op.InputKind.POS);
    Value state = g.state("k.0", Op.Rollback.APPEND, TensorType.f32(Dim.C, Dim.of(2), Dim.of(4)));
    Value once = g.add(new Op.KvAppend(), state, x, pos);
    g.output("state:k.0", g.add(new Op.KvAppend(), once, x, pos));

    assertEquals(
        2, ops(applied(g.build("main"), Set.of())).stream().filter("kv_append"::equals).count());
  }

  private static List<String> names(Graph graph) {
    return graph.outputs().stream().map(Graph.Output::name).toList();
  }

  private static List<String> ops(Graph graph) {
    return graph.nodes().stream().map(n -> n.op().text()).toList();
  }

  /** Applies the pass twice: the second time must change nothing. */
  private static Graph applied(Graph graph, Set<String> captures) {
    PassContext context = new PassContext(Target.jvm(), captures, List.of());
    Graph once = new Canonicalise().apply(graph, context);
    Verifier.verify(once);
    assertEquals(once, new Canonicalise().apply(once, context));
    return once;
  }

  private static Value embedded(GraphBuilder g, int n) {
    Value ids = g.input(Op.InputKind.IDS);
    return g.add(
        new Op.Embed(1), g.weight("token_embd.weight", TensorType.weight(DType.F32, n, 16)), ids);
  }

  private static Value reshaped(GraphBuilder g, Value x, long... dims) {
    List<Dim> all = new java.util.ArrayList<>(List.of(Dim.T));
    for (long d : dims) {
      all.add(Dim.of(d));
    }
    return g.add(new Op.Reshape(new Shape(all)), x);
  }

  /**
   * The canonical text of what is made of an embedding [T, n], without the embedding's three lines
   * and the output.
   */
  private static String canonical(int n, Function<GraphBuilder, Function<Value, Value>> body) {
    GraphBuilder g = new GraphBuilder();
    Value x = embedded(g, n);
    g.output("out", body.apply(g).apply(x));
    StringBuilder text = new StringBuilder();
    for (String line : GraphText.print(applied(g.build("main"), Set.of())).lines().toList()) {
      boolean isFrame =
          line.startsWith("graph")
              || line.startsWith("output")
              || line.contains("token_embd")
              || line.contains("input(");
      if (!isFrame) {
        text.append(line).append('\n');
      }
    }
    return text.toString();
  }
}
