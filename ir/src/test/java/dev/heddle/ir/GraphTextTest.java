package dev.heddle.ir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class GraphTextTest {
  private static final String SMALL =
      """
      graph main
      %0 = input(kind=ids) : i32[T]
      %1 = @token_embd.weight : q8_0{2048, 151936}
      %2 = embed(@token_embd.weight, %0, scale=1) : f32[T, 2048]  ; qwen3.model:41:7
      %5 = @blk.0.attn_norm.weight : f32{2048}
      %6 = rms_norm(%2, @blk.0.attn_norm.weight, eps=1e-6) : f32[T, 2048]  ; layer 0 attn  qwen3.model:50:3 from qwen3.model:61:9
      %7 = rms_norm(%6, eps=0.5) : f32[T, 2048]
      %8 = @blk.0.attn_qkv.weight[0:64] : q4_k{2048, 64}
      %9 = @blk.0.attn_qkv.bias[64:] : f32{64}
      %10 = matmul(@blk.0.attn_qkv.weight[0:64], %7, bias=@blk.0.attn_qkv.bias[64:]) : f32[T, 64]
      %11 = state(name="kc.0", rollback=append) : f16[C, 4, 16]
      %12 = reshape(%10, shape=[T, 4, 16]) : f32[T, 4, 16]
      %13 = input(kind=pos) : i32[T]
      %14 = rope(%12, %13, kind=neox, dims=16, base=10000, scaling=yarn(factor=4, original_context=32768, attn_factor=1, \
      beta_fast=32, beta_slow=1), sections=[]) : f32[T, 4, 16]
      %15 = kv_append(%11, %14, %13) : f16[C, 4, 16]
      %16 = router(%10, score=sqrt_softplus, k=2, floor=6.103515625e-5, scale=1.5) : i32[T, 2], f32[T, 2]
      %17 = clamp(%16.1, min=-inf, max=0.25) : f32[T, 2]
      output logits = %17
      output state:kc.0 = %15
      """
          .replace("original_context", "originalContext")
          .replace("attn_factor", "attnFactor")
          .replace("beta_fast", "betaFast")
          .replace("beta_slow", "betaSlow")
          .replace("output state:kc.0", "output \"state:kc.0\"");

  @Test
  void writesWhatItReads() {
    assertEquals(SMALL, GraphText.print(GraphText.parse(SMALL)));
  }

  @Test
  void printsOneNodeAsItsLine() {
    Graph graph = GraphText.parse(SMALL);
    assertEquals(
        "%12 = reshape(%10, shape=[T, 4, 16]) : f32[T, 4, 16]",
        GraphText.print(graph, graph.byId().get(12)));
  }

  @Test
  void readsOptionalInputsInAnyOrder() {
    String head =
        "graph g\n%0 = @w : f32{2, 3}\n%1 = constant(value=2) : f32[1]\n%2 = @b : f32{3}\n%3 = @x : f32{2}\n";
    Node node =
        GraphText.parse(head + "%4 = matmul(@w, %3, scale=%1, bias=@b) : f32[T, 3]").nodes().get(4);
    assertEquals(new Op.Matmul(true, true), node.op());
    assertEquals(List.of(Value.of(0), Value.of(3), Value.of(2), Value.of(1)), node.inputs());
  }

  @Test
  void tellsTwoNodesOfOneWeightApart() {
    Op op = Op.Weight.whole("w");
    Node a =
        new Node(0, op, List.of(), List.of(TensorType.weight(DType.F32, 2)), -1, "", Source.NONE);
    Node neg =
        new Node(
            2,
            new Op.Neg(),
            List.of(Value.of(1)),
            List.of(TensorType.f32(Dim.of(2))),
            -1,
            "",
            Source.NONE);
    Graph graph = new Graph("g", List.of(a, a.withId(1), neg), List.of());
    assertEquals(graph, GraphText.parse(GraphText.print(graph)));
  }

  @Test
  void writesNumbersShort() {
    double[] numbers = {
      1,
      0,
      -0.0,
      1e-6,
      0.1,
      10000,
      1e6,
      12345678,
      1e7,
      0x1p-14,
      Double.NaN,
      -1e-300,
      Double.MIN_VALUE
    };
    String[] texts = {
      "1",
      "0",
      "-0",
      "1e-6",
      "0.1",
      "10000",
      "1000000",
      "1.2345678e7",
      "1e7",
      "6.103515625e-5",
      "nan",
      "-1e-300",
      "4.9e-324"
    };
    for (int i = 0; i < numbers.length; i++) {
      assertEquals(texts[i], GraphPrinter.number(numbers[i]));
      String line = "graph g\n%0 = constant(value=" + texts[i] + ") : f32[1]\n";
      assertEquals(new Op.Constant(numbers[i]), GraphText.parse(line).nodes().get(0).op());
    }
  }

  @Test
  void readsBackEveryRandomGraph() {
    Set<Class<?>> seen = new HashSet<>();
    for (long seed = 0; seed < 150; seed++) {
      Graph graph = RandomGraphs.any(seed, 40);
      graph.nodes().forEach(n -> seen.add(n.op().getClass()));
      String text = GraphText.print(graph);
      assertEquals(graph, GraphText.parse(text), "seed " + seed);
      assertEquals(text, GraphText.print(GraphText.parse(text)), "seed " + seed);
    }
    assertEquals(OpSchema.names().size(), seen.size(), "the generator makes every op");
  }

  @Test
  void refusesMutatedTextWithAPosition() {
    int refused = 0;
    for (long seed = 0; seed < 1200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      StringBuilder text =
          new StringBuilder(seed % 2 == 0 ? SMALL : GraphText.print(RandomGraphs.any(seed, 6)));
      for (int i = random.nextInt(1, 4); i > 0; i--) {
        mutate(text, random);
      }
      try {
        GraphText.print(GraphText.parse(text.toString()));
      } catch (GraphParseException e) {
        refused++;
        assertTrue(e.line() >= 1 && e.column() >= 1, () -> e.getMessage());
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed + ":\n" + text, e);
      }
    }
    assertTrue(refused > 400, "only " + refused + " mutants were refused");
  }

  private static void mutate(StringBuilder text, SplittableRandom random) {
    int at = random.nextInt(text.length());
    String alphabet = "%@[]{}()=:;,.\"\\ \n-0129afTC#\u00e9\t";
    switch (random.nextInt(4)) {
      case 0 -> text.deleteCharAt(at);
      case 1 -> text.setCharAt(at, alphabet.charAt(random.nextInt(alphabet.length())));
      case 2 -> text.insert(at, alphabet.charAt(random.nextInt(alphabet.length())));
      default ->
          text.insert(at, text.substring(at, Math.min(text.length(), at + random.nextInt(12))));
    }
    if (text.isEmpty()) {
      text.append(' ');
    }
  }

  @Test
  void saysWhereAndWhat() {
    refuses("", "graph text, line 1, column 1: expected 'graph' and a name, but the text is empty");
    refuses("grap", "graph text, line 1, column 1: expected 'graph' and a name, but there is 'g'");
    refuses(
        "graph g\n%0 = neg(%1 : f32[1]",
        "graph text, line 2, column 13: expected ',', but there is ':'");
    refuses(
        "graph g\n%0 = negg(%1) : f32[1]", "graph text, line 2, column 6: there is no op 'negg'");
    refuses(
        "graph g\n%0 = scale(%1) : f32[1]",
        "graph text, line 2, column 6: 'scale' lacks the attribute 'c'");
    refuses(
        "graph g\n%0 = scale(%1, d=1) : f32[1]",
        "graph text, line 2, column 16: 'scale' has no attribute 'd'");
    refuses(
        "graph g\n%0 = scale(%1, c=1, c=2) : f32[1]",
        "graph text, line 2, column 21: 'scale' has two attributes 'c'");
    refuses(
        "graph g\n%0 = scale(%1, c=x) : f32[1]",
        "graph text, line 2, column 18: 'x' is not a number");
    refuses(
        "graph g\n%0 = neg(@w) : f32[1]",
        "graph text, line 2, column 10: no line above defines @w");
    refuses(
        "graph g\n%0 = @w : f33{1}", "graph text, line 2, column 11: 'f33' is not an element type");
    refuses(
        "graph g\n%0 = @w : f32{0}",
        "graph text, line 2, column 15: a constant dimension is at least 1, not 0");
    refuses(
        "graph g\n%0 = @\"w : f32{1}",
        "graph text, line 2, column 7: the text that begins here has no closing quote");
    refuses(
        "graph g\n%99999999999 = @w : f32{1}",
        "graph text, line 2, column 2: 99999999999 does not fit in 32 bits");
    refuses(
        "graph g\n%0 = input(kind=id) : i32[T]",
        "graph text, line 2, column 17: 'id' is not one of ids, pos, seq, out_rows");
    refuses(
        "graph g\n%0 = @w : f32{1} x",
        "graph text, line 2, column 18: expected the end of the line, but there is 'x'");
  }

  private static void refuses(String text, String message) {
    assertEquals(
        message, assertThrows(GraphParseException.class, () -> GraphText.parse(text)).getMessage());
  }
}
