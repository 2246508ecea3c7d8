package dev.heddle.ir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class ShapeInferenceTest {
  private static final Op.RopeScaling NONE = new Op.RopeScaling.None();

  /** Types as graph text writes them. */
  private static TensorType[] types(String... texts) {
    TensorType[] types = new TensorType[texts.length];
    for (int i = 0; i < texts.length; i++) {
      types[i] =
          GraphText.parse("graph g\n%0 = constant(value=0) : " + texts[i]).nodes().get(0).type();
    }
    return types;
  }

  private static void infers(String result, Op op, String... inputs) {
    List<String> all =
        ShapeInference.types(op, List.of(types(inputs))).stream()
            .map(TensorType::toString)
            .toList();
    assertEquals(result, String.join(", ", all));
  }

  private static void refuses(String message, Op op, String... inputs) {
    List<TensorType> in = List.of(types(inputs));
    assertEquals(
        message,
        assertThrows(GraphException.class, () -> ShapeInference.types(op, in)).getMessage());
  }

  @Test
  void inputsAndConstants() {
    infers("i32[T]", new Op.Input(Op.InputKind.POS));
    infers("i32[R]", new Op.Input(Op.InputKind.OUT_ROWS));
    infers("f32[1]", new Op.Constant(2));
    refuses("'neg' takes 1 input, not 2", new Op.Neg(), "f32[1]", "f32[1]");
    refuses("'concat' takes at least 1 input, not 0", new Op.Concat(0));
    refuses("'matmul' takes 3 inputs, not 2", new Op.Matmul(true, false), "f32{2, 3}", "f32[T, 2]");
  }

  @Test
  void binaryOpsBroadcastTheSecondOperand() {
    infers("f32[T, 4, 8]", new Op.Add(), "f32[T, 4, 8]", "f32[T, 4, 8]");
    infers("f32[T, 4, 8]", new Op.Mul(), "f32[T, 4, 8]", "f16{8, 4}");
    infers("f32[T, 4, 8]", new Op.Div(), "f32[T, 4, 8]", "f32[T, 4, 1]");
    infers("f32[T, 4, 8]", new Op.Sub(), "f32[T, 4, 8]", "f32[1]");
    refuses(
        "'+' needs equal shapes: [T, 2048] and [T, 512]",
        new Op.Add(),
        "f32[T, 2048]",
        "f32[T, 512]");
    refuses("'*' needs equal shapes: [8] and [T, 8]", new Op.Mul(), "f32{8}", "f32[T, 8]");
    refuses("'-' needs f32 rows or a weight, not i32[T]", new Op.Sub(), "i32[T]", "i32[T]");
  }

  @Test
  void gathers() {
    infers("f32[T, 64]", new Op.Embed(1), "q8_0{64, 100}", "i32[T]");
    infers("f32[T, 2]", new Op.GetRows(), "f32[T, 8]", "i32[T, 2]");
    infers("f32[T, 2, 4]", new Op.GetRows(), "f32[T, 8, 4]", "i32[T, 2]");
    infers("f32[R, 8]", new Op.TakeRows(), "f32[T, 8]", "i32[R]");
    refuses(
        "'embed' needs a weight {n, vocabulary}, not f32[64, 100]",
        new Op.Embed(1),
        "f32[64, 100]",
        "i32[T]");
    refuses(
        "'get_rows' needs x [.., m, n] or [.., m] and idx [.., k] with equal leading dimensions: f32[T, 8] and i32[R, 2]",
        new Op.GetRows(),
        "f32[T, 8]",
        "i32[R, 2]");
    refuses(
        "'take_rows' takes rows of the step's tokens [T, ..], not of [R, 8]",
        new Op.TakeRows(),
        "f32[R, 8]",
        "i32[R]");
  }

  @Test
  void products() {
    infers(
        "f32[T, 3]", new Op.Matmul(true, true), "q4_k{256, 3}", "q8_1[T, 256]", "f32{3}", "f32[1]");
    infers("f32[T, 2, 3]", new Op.MatmulId(false, false), "f32{4, 3, 8}", "f32[T, 4]", "i32[T, 2]");
    infers(
        "f32[T, 2, 3]",
        new Op.MatmulId(true, true),
        "f32{4, 3, 8}",
        "f32[T, 2, 4]",
        "i32[T, 2]",
        "f32{3, 8}",
        "f32{8}");
    infers("f32[T, 8, 3]", new Op.MatmulGrouped(), "f32{4, 3, 8}", "f32[T, 8, 4]");
    refuses(
        "'matmul' needs as many columns in x as the weight has inputs: f32{4, 3} and f32[T, 5]",
        new Op.Matmul(false, false),
        "f32{4, 3}",
        "f32[T, 5]");
    refuses(
        "'matmul' needs bias of shape [3], not [4]",
        new Op.Matmul(true, false),
        "f32{4, 3}",
        "f32[T, 4]",
        "f32{4}");
    refuses(
        "'matmul_id' needs x [T, 4] or [T, 2, 4] for ids [T, 2]: f32{4, 3, 8} and f32[T, 3, 4]",
        new Op.MatmulId(false, false),
        "f32{4, 3, 8}",
        "f32[T, 3, 4]",
        "i32[T, 2]");
    refuses(
        "'matmul_grouped' needs W {n, m, G} and x [T, G, n]: f32{4, 3, 8} and f32[T, 4, 8]",
        new Op.MatmulGrouped(),
        "f32{4, 3, 8}",
        "f32[T, 4, 8]");
  }

  @Test
  void normsAndRope() {
    infers("f32[T, 2, 8]", new Op.RmsNorm(1e-6, true), "f32[T, 2, 8]", "f32{8}");
    refuses(
        "'rms_norm' needs weight of shape [8], not [4]",
        new Op.RmsNorm(1e-6, true),
        "f32[T, 8]",
        "f32{4}");
    Op.Rope rope = new Op.Rope(Op.RopeKind.NEOX, 8, 1e4, NONE, List.of(), true);
    infers("f32[T, 2, 8]", rope, "f32[T, 2, 8]", "i32[T]", "f32{4}");
    refuses("'rope' needs factors of shape [4], not [8]", rope, "f32[T, 2, 8]", "i32[T]", "f32{8}");
    refuses(
        "'rope' rotates an even number of the row's values, not dims=16 of x [T, 2, 8]",
        new Op.Rope(Op.RopeKind.NEOX, 16, 1e4, NONE, List.of(), false),
        "f32[T, 2, 8]",
        "i32[T]");
  }

  @Test
  void cachesAndAttention() {
    infers("q8_0[C, 2, 32]", new Op.KvAppend(), "q8_0[C, 2, 32]", "f32[T, 2, 32]", "i32[T]");
    infers(
        "f32[T, 4, 16]",
        new Op.Attention(1),
        "f32[T, 4, 8]",
        "f16[C, 2, 8]",
        "f32[C, 2, 16]",
        "i32[T]");
    refuses(
        "'kv_append' needs rows of whole blocks of 32 for q8_0, not q8_0[C, 2, 8]",
        new Op.KvAppend(),
        "q8_0[C, 2, 8]",
        "f32[T, 2, 8]",
        "i32[T]");
    refuses(
        "'kv_append' needs rows of the state's shape: f32[C, 2, 8] and f32[T, 1, 8]",
        new Op.KvAppend(),
        "f32[C, 2, 8]",
        "f32[T, 1, 8]",
        "i32[T]");
    refuses(
        "'attention' needs q heads to be a multiple of k heads: f32[T, 3, 8] and f32[C, 2, 8]",
        new Op.Attention(1),
        "f32[T, 3, 8]",
        "f32[C, 2, 8]",
        "f32[C, 2, 8]",
        "i32[T]");
    refuses(
        "'attention' needs q and k of equal head size: f32[T, 4, 4] and f32[C, 2, 8]",
        new Op.Attention(1),
        "f32[T, 4, 4]",
        "f32[C, 2, 8]",
        "f32[C, 2, 8]",
        "i32[T]");
  }

  @Test
  void routingAndChoices() {
    infers(
        "i32[T, 2], f32[T, 2]",
        new Op.Router(Op.Score.SOFTMAX, 2, 0, 1, true),
        "f32[T, 8]",
        "f32{8}");
    infers(
        "f32[T, 4]",
        new Op.Combine(true, true, true),
        "f32[T, 2, 4]",
        "f32[T, 2]",
        "f32[T, 4]",
        "f32[T, 1]",
        "f32[T, 4]");
    infers("i32[R]", new Op.Argmax(), "f32[R, 100]");
    infers("f32[T, 2, 1]", new Op.Sum(), "f32[T, 2, 8]");
    refuses("'top_k' chooses 1 to 8 of x [T, 8], not k=9", new Op.TopK(9), "f32[T, 8]");
    refuses(
        "'combine' has a gate but no shared value to multiply it with",
        new Op.Combine(false, true, false),
        "f32[T, 2, 4]",
        "f32[T, 2]",
        "f32[T, 1]");
  }

  @Test
  void layout() {
    infers("f32[T, 2, 4]", new Op.Reshape(types("f32[T, 2, 4]")[0].shape()), "f32[T, 8]");
    infers("f32[T, 3]", new Op.Slice(-1, 2, 5), "f32[T, 8]");
    infers("q8_0{32, 3}", new Op.Slice(1, 2, 5), "q8_0{32, 8}");
    infers("f32[T, 12]", new Op.Concat(-1), "f32[T, 8]", "f32[T, 4]");
    infers("q8_1[T, 64]", new Op.Quantise(), "f32[T, 64]");
    infers("f32[T, 64]", new Op.Dequantise(), "q8_1[T, 64]");
    refuses(
        "'reshape' keeps the number of values and the place of symbols: [T, 8] and [2, T, 4]",
        new Op.Reshape(types("f32[2, T, 4]")[0].shape()),
        "f32[T, 8]");
    refuses(
        "'slice' 2 .. 9 lies outside dimension -1 of [T, 8]", new Op.Slice(-1, 2, 9), "f32[T, 8]");
    refuses(
        "'slice' cannot cut the symbolic dimension T of [T, 8]",
        new Op.Slice(0, 0, 1),
        "f32[T, 8]");
    refuses(
        "'slice' 2 .. 34 would cut blocks of q8_0 in [64, 8]",
        new Op.Slice(0, 2, 34),
        "q8_0{64, 8}");
    refuses(
        "'concat' needs inputs that differ only in dimension -1: f32[T, 8] and f32[R, 8]",
        new Op.Concat(-1),
        "f32[T, 8]",
        "f32[R, 8]");
    refuses(
        "'quantise' needs rows of whole blocks of 32 values, not [T, 33]",
        new Op.Quantise(),
        "f32[T, 33]");
  }

  @Test
  void rowsHaveAConstantLength() {
    Op rms = new Op.RmsNorm(1, false);
    for (Op op :
        List.of(
            rms,
            new Op.L2Norm(1),
            new Op.Softmax(),
            new Op.Sum(),
            new Op.TopK(1),
            new Op.Quantise())) {
      refuses("'" + op.text() + "' needs a constant in place of T of [8, T]", op, "f32[8, T]");
    }
    refuses("'argmax' needs rows [R, V], not [8]", new Op.Argmax(), "f32[8]");
  }

  @Test
  void statesAreReadByAttentionAlone() {
    String state = "f32[C, 2, 4]";
    refuses("'neg' needs f32 rows or a weight, not f32[C, 2, 4]", new Op.Neg(), state);
    refuses("'slice' needs real numbers, not f32[C, 2, 4]", new Op.Slice(-1, 0, 2), state);
    refuses(
        "'reshape' cannot take a state: f32[C, 2, 4]",
        new Op.Reshape(Shape.of(Dim.C, Dim.of(8))),
        state);
    refuses("'max' needs f32 rows, not f32[C, 2, 4]", new Op.Max(), state);
  }

  @Test
  void attentionTakesARowForEachToken() {
    String need = " needs a row and a position for each of the step's tokens T: ";
    refuses(
        "'attention'" + need + "f32[R, 4, 4] and i32[R]",
        new Op.Attention(1),
        "f32[R, 4, 4]",
        "f32[C, 2, 4]",
        "f32[C, 2, 4]",
        "i32[R]");
    refuses(
        "'kv_append'" + need + "f32[T, 2, 4] and i32[R]",
        new Op.KvAppend(),
        "f32[C, 2, 4]",
        "f32[T, 2, 4]",
        "i32[R]");
  }

  @Test
  void refusesWhatOnlyLooksRight() {
    refuses("'dequantise' needs q8_1 rows, not i32[T, 64]", new Op.Dequantise(), "i32[T, 64]");
    refuses(
        "'rope' takes no sections or four, not [1, 2]",
        new Op.Rope(Op.RopeKind.IMROPE, 8, 1e4, NONE, List.of(1, 2), false),
        "f32[T, 2, 8]",
        "i32[T]");
    refuses(
        "'concat' has more values than 64 bits count: [f32[9223372036854775807], f32[9223372036854775807]]",
        new Op.Concat(0),
        "f32[9223372036854775807]",
        "f32[9223372036854775807]");
  }

  @Test
  void theBuilderSharesLeavesOnly() {
    GraphBuilder g = new GraphBuilder();
    TensorType type = TensorType.weight(DType.F32, 4, 9);
    Value w = g.weight("w", type);
    assertEquals(w, g.weight("w", type));
    assertEquals(Value.of(1), g.weight("w", 0, 9, type));
    Value ids = g.input(Op.InputKind.IDS);
    assertEquals(ids, g.input(Op.InputKind.IDS));
    Value a = g.layer(2).role("attn").add(new Op.Embed(1), w, ids);
    assertEquals(Value.of(4), g.add(new Op.Embed(1), w, ids));
    assertEquals("attn", g.node(a).role());
    GraphException e =
        assertThrows(GraphException.class, () -> g.weight("w", TensorType.weight(DType.F16, 4, 9)));
    assertEquals("'w' is used as f16{4, 9} and as f32{4, 9}", e.getMessage());
    g.output("y", a);
    assertThrows(GraphException.class, () -> g.output("y", w));
    assertEquals(5, g.build("g").nodes().size());
  }

  @Test
  void theBuilderCopiesRandomGraphs() {
    for (long seed = 0; seed < 50; seed++) {
      Graph graph = RandomGraphs.any(seed, 30);
      GraphBuilder g = new GraphBuilder();
      graph.nodes().forEach(node -> g.copy(node, node.inputs()));
      graph.outputs().forEach(o -> g.output(o.name(), o.value()));
      assertEquals(graph, g.build(graph.name()), "seed " + seed);
    }
  }
}
