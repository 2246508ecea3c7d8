package dev.heddle.passes.rewrite;

import static dev.heddle.passes.rewrite.RuleCheck.rule;

import dev.heddle.ir.DType;
import dev.heddle.ir.Dim;
import dev.heddle.ir.GraphBuilder;
import dev.heddle.ir.Op;
import dev.heddle.ir.Shape;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.Value;
import org.junit.jupiter.api.Test;

class FuseRouterTest {
  private static final double FLOOR = 0x1p-14;
  private final GraphBuilder g = new GraphBuilder();

  private Value logits(int n) {
    return g.add(
        new Op.Embed(1),
        g.weight("logits", TensorType.weight(DType.F32, n, 5)),
        g.input(Op.InputKind.IDS));
  }

  private Value divided(Value weights, double floor) {
    Value sum = g.add(new Op.Sum(), weights);
    return g.add(new Op.Div(), weights, g.add(new Op.Clamp(floor, Double.POSITIVE_INFINITY), sum));
  }

  private RuleCheck<FuseRouter.Choice> check(Value ids, Value weights) {
    return rule(new FuseRouter()).on(g.output("ids", ids).output("weights", weights).build("main"));
  }

  @Test
  void softmaxWithRenormalisationAndFactorIsOneNode() {
    Value scores = g.add(new Op.Softmax(), logits(16));
    Value ids = g.add(new Op.TopK(3), scores);
    Value weights = g.add(new Op.Scale(2.5), divided(g.add(new Op.GetRows(), scores, ids), FLOOR));
    check(ids, weights)
        .fires(1)
        .makes(new Op.Router(Op.Score.SOFTMAX, 3, FLOOR, 2.5, false))
        .givesTheSameValues()
        .inAnyOrder();
  }

  @Test
  void aBiasOnlyChooses() {
    Value scores = g.add(new Op.Sigmoid(), logits(16));
    Value choosing =
        g.add(new Op.Add(), scores, g.weight("bias", TensorType.weight(DType.F32, 16)));
    Value ids = g.add(new Op.TopK(3), choosing);
    check(ids, divided(g.add(new Op.GetRows(), scores, ids), 0.1))
        .fires(1)
        .makes(new Op.Router(Op.Score.SIGMOID, 3, 0.1, 1, true))
        .givesTheSameValues()
        .inAnyOrder();
  }

  @Test
  void theRootOfSoftplusScoresAndBareWeightsAreParameters() {
    Value scores = g.add(new Op.Sqrt(), g.add(new Op.Softplus(), logits(16)));
    Value ids = g.add(new Op.TopK(3), scores);
    check(ids, g.add(new Op.GetRows(), scores, ids))
        .fires(1)
        .makes(new Op.Router(Op.Score.SQRT_SOFTPLUS, 3, 0, 1, false))
        .givesTheSameValues()
        .inAnyOrder();
  }

  @Test
  void bareLogitsAreScores() {
    Value scores = g.add(new Op.Neg(), logits(16));
    Value ids = g.add(new Op.TopK(3), scores);
    g.output("logits", scores);
    check(ids, g.add(new Op.GetRows(), scores, ids))
        .fires(1)
        .makes(new Op.Router(Op.Score.IDENTITY, 3, 0, 1, false))
        .givesTheSameValues()
        .inAnyOrder();
  }

  @Test
  void viewsBetweenDoNotHideTheMatch() {
    Value scores = g.add(new Op.Softmax(), logits(16));
    Value ids = g.add(new Op.TopK(3), scores);
    Value column = g.add(new Op.Reshape(Shape.of(Dim.T, Dim.of(16), Dim.of(1))), scores);
    Value rows = g.add(new Op.GetRows(), column, ids);
    Value flat = g.add(new Op.Reshape(Shape.of(Dim.T, Dim.of(3))), rows);
    check(ids, divided(flat, FLOOR)).fires(1).givesTheSameValues().inAnyOrder();
  }

  @Test
  void scoresThatSomebodyElseReadsAreRefused() {
    Value scores = g.add(new Op.Softmax(), logits(16));
    Value ids = g.add(new Op.TopK(3), scores);
    Value rows = g.add(new Op.GetRows(), scores, ids);
    g.output("scores", scores);
    check(ids, rows)
        .fires(0)
        .isRefused(
            scores
                + " = softmax has 3 readers ("
                + ids
                + " = top_k, "
                + rows
                + " = get_rows, output); fusing would compute it twice");
  }

  @Test
  void idsWithoutWeightsAreRefused() {
    Value scores = g.add(new Op.Softmax(), logits(16));
    Value ids = g.add(new Op.TopK(3), scores);
    rule(new FuseRouter())
        .on(g.output("ids", ids).build("main"))
        .isRefused("no one get_rows takes " + scores + " by these ids");
  }

  @Test
  void scoresOfSeveralRowsATokenAreRefused() {
    Value logits = g.add(new Op.Reshape(Shape.of(Dim.T, Dim.of(2), Dim.of(8))), logits(16));
    Value ids = g.add(new Op.TopK(3), g.add(new Op.Softmax(), logits));
    rule(new FuseRouter())
        .on(g.output("ids", ids).build("main"))
        .isRefused("scores are f32[T, 2, 8]; the kernel takes one row a token");
  }

  @Test
  void eachCountUpTo1024ExpertsFires() {
    Value scores = g.add(new Op.Softmax(), logits(1024));
    Value ids = g.add(new Op.TopK(64), scores);
    check(ids, g.add(new Op.GetRows(), scores, ids)).fires(1).givesTheSameValues();
  }

  @Test
  void moreThan1024ExpertsAreRefused() {
    Value scores = g.add(new Op.Softmax(), logits(1025));
    Value ids = g.add(new Op.TopK(3), scores);
    check(ids, g.add(new Op.GetRows(), scores, ids))
        .isRefused("1025 experts; the kernel takes up to 1024");
  }

  @Test
  void moreThan64ChosenAreRefused() {
    Value scores = g.add(new Op.Softmax(), logits(128));
    Value ids = g.add(new Op.TopK(65), scores);
    check(ids, g.add(new Op.GetRows(), scores, ids))
        .isRefused("65 chosen; the sum of up to 64 runs in rank order");
  }
}
