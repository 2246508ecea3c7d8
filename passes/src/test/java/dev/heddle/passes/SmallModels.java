package dev.heddle.passes;

import dev.heddle.ir.DType;
import dev.heddle.ir.Dim;
import dev.heddle.ir.Graph;
import dev.heddle.ir.GraphBuilder;
import dev.heddle.ir.Op;
import dev.heddle.ir.Shape;
import dev.heddle.ir.Source;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.Value;
import java.util.List;

/** Graphs of the qwen3moe form, of any size. */
record SmallModels(
    int layers,
    int e,
    int heads,
    int kvHeads,
    int d,
    int experts,
    int used,
    int fe,
    int vocabulary,
    DType type) {
  private static final double EPS = 1e-6;

  /** Two layers of 64 values: runs in the interpreter. */
  static SmallModels tiny() {
    return new SmallModels(2, 64, 4, 2, 32, 8, 2, 32, 96, DType.F32);
  }

  /** The sizes of Qwen3-235B-A22B. */
  static SmallModels qwen3Moe235b() {
    return new SmallModels(94, 4096, 64, 4, 128, 128, 8, 1536, 151936, DType.Q4_K);
  }

  SmallModels withType(DType other) {
    return new SmallModels(layers, e, heads, kvHeads, d, experts, used, fe, vocabulary, other);
  }

  Graph graph() {
    GraphBuilder g = new GraphBuilder();
    Value ids = g.input(Op.InputKind.IDS);
    Value pos = g.input(Op.InputKind.POS);
    Value rows = g.input(Op.InputKind.OUT_ROWS);
    Value x =
        g.add(
            new Op.Embed(1),
            g.weight("token_embd.weight", TensorType.weight(type, e, vocabulary)),
            ids);
    for (int l = 0; l < layers; l++) {
      x = layer(g, l, x, pos);
    }
    g.at(-1, "output", Source.NONE);
    Value h = norm(g, "output_norm.weight", g.add(new Op.TakeRows(), x, rows), e);
    Value logits =
        g.add(
            new Op.Matmul(false, false),
            g.weight("output.weight", TensorType.weight(type, e, vocabulary)),
            h);
    g.output("logits", logits);
    return g.build("main");
  }

  private Value layer(GraphBuilder g, int l, Value x, Value pos) {
    String blk = "blk." + l + ".";
    g.at(l, "attn", Source.NONE);
    Value h = norm(g, blk + "attn_norm.weight", x, e);
    Value q =
        rope(
            g,
            norm(g, blk + "attn_q_norm.weight", projected(g, blk + "attn_q.weight", h, heads), d),
            pos);
    Value k =
        rope(
            g,
            norm(g, blk + "attn_k_norm.weight", projected(g, blk + "attn_k.weight", h, kvHeads), d),
            pos);
    Value v = projected(g, blk + "attn_v.weight", h, kvHeads);
    Value kc = g.add(new Op.KvAppend(), state(g, "k." + l), k, pos);
    Value vc = g.add(new Op.KvAppend(), state(g, "v." + l), v, pos);
    g.output("state:k." + l, kc);
    g.output("state:v." + l, vc);
    Value a = g.add(new Op.Attention(1 / Math.sqrt(d)), q, kc, vc, pos);
    Value flat = g.add(new Op.Reshape(Shape.of(Dim.T, Dim.of((long) heads * d))), a);
    Value u =
        g.add(
            new Op.Add(),
            x,
            g.add(
                new Op.Matmul(false, false),
                matrix(g, blk + "attn_output.weight", heads * d, e),
                flat));
    g.at(l, "ffn", Source.NONE);
    Value n = norm(g, blk + "ffn_norm.weight", u, e);
    Value router =
        g.add(
            new Op.Matmul(false, false),
            g.weight(blk + "ffn_gate_inp.weight", TensorType.weight(DType.F32, e, experts)),
            n);
    List<Value> routed =
        g.addAll(new Op.Router(Op.Score.SOFTMAX, used, 0x1p-14, 1, false), List.of(router));
    Value gate =
        g.add(
            new Op.MatmulId(false, false),
            experts(g, blk + "ffn_gate_exps.weight", e, fe),
            n,
            routed.get(0));
    Value up =
        g.add(
            new Op.MatmulId(false, false),
            experts(g, blk + "ffn_up_exps.weight", e, fe),
            n,
            routed.get(0));
    Value down =
        g.add(
            new Op.MatmulId(false, false),
            experts(g, blk + "ffn_down_exps.weight", fe, e),
            g.add(new Op.Glu(Op.Act.SILU), gate, up),
            routed.get(0));
    return g.add(new Op.Combine(false, false, true), down, routed.get(1), u);
  }

  private Value norm(GraphBuilder g, String tensor, Value x, int n) {
    return g.add(new Op.RmsNorm(EPS, true), x, g.weight(tensor, TensorType.weight(DType.F32, n)));
  }

  private Value projected(GraphBuilder g, String tensor, Value x, int count) {
    Value y = g.add(new Op.Matmul(false, false), matrix(g, tensor, e, count * d), x);
    return g.add(new Op.Reshape(Shape.of(Dim.T, Dim.of(count), Dim.of(d))), y);
  }

  private Value rope(GraphBuilder g, Value x, Value pos) {
    return g.add(
        new Op.Rope(Op.RopeKind.NEOX, d, 1e6, new Op.RopeScaling.None(), List.of(), false), x, pos);
  }

  private Value state(GraphBuilder g, String name) {
    return g.state(name, Op.Rollback.APPEND, TensorType.f32(Dim.C, Dim.of(kvHeads), Dim.of(d)));
  }

  private Value matrix(GraphBuilder g, String tensor, int n, int m) {
    return g.weight(tensor, TensorType.weight(type, n, m));
  }

  private Value experts(GraphBuilder g, String tensor, int n, int m) {
    return g.weight(tensor, TensorType.weight(type, n, m, experts));
  }
}
