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

class GateIntoCombineTest {
  private final GraphBuilder g = new GraphBuilder();
  private final Value shared = rows("shared", 4);
  private final Value residual = rows("residual", 4);
  private final Value gate = g.add(new Op.Sigmoid(), rows("gate", 1));
  private final Value sum =
      g.add(
          new Op.Combine(false, false, false),
          g.add(new Op.Reshape(Shape.of(Dim.T, Dim.of(2), Dim.of(4))), rows("y", 8)),
          rows("w", 2));

  private Value rows(String name, int n) {
    return g.add(
        new Op.Embed(1),
        g.weight(name, TensorType.weight(DType.F32, n, 5)),
        g.input(Op.InputKind.IDS));
  }

  private RuleCheck<GateIntoCombine.Join> check(Value output) {
    return rule(new GateIntoCombine()).on(g.output("y", output).build("main"));
  }

  @Test
  void aSharedExpertWithGateAndTheResidualJoinTheSum() {
    Value join = g.add(new Op.Add(), g.add(new Op.Mul(), shared, gate), sum);
    check(g.add(new Op.Add(), residual, join))
        .fires(1)
        .makes(new Op.Combine(true, true, true))
        .givesTheSameValues()
        .inAnyOrder();
  }

  @Test
  void theResidualAloneJoinsTheSumOnEitherSideOfTheAdd() {
    check(g.add(new Op.Add(), sum, residual))
        .fires(1)
        .makes(new Op.Combine(false, false, true))
        .givesTheSameValues()
        .inAnyOrder();
  }

  @Test
  void aSharedExpertWithoutGateJoins() {
    Value join = g.add(new Op.Add(), sum, shared);
    check(g.add(new Op.Add(), join, residual))
        .fires(1)
        .makes(new Op.Combine(true, false, true))
        .givesTheSameValues()
        .inAnyOrder();
  }

  @Test
  void aGatedExpertWithoutResidualJoins() {
    check(g.add(new Op.Add(), sum, g.add(new Op.Mul(), shared, gate)))
        .fires(1)
        .makes(new Op.Combine(true, true, false))
        .givesTheSameValues()
        .inAnyOrder();
  }

  @Test
  void viewsBetweenDoNotHideTheMatch() {
    Value flat = g.add(new Op.Reshape(Shape.of(Dim.T, Dim.of(2), Dim.of(2))), sum);
    Value back = g.add(new Op.Reshape(Shape.of(Dim.T, Dim.of(4))), flat);
    check(g.add(new Op.Add(), residual, back)).fires(1).givesTheSameValues().inAnyOrder();
  }

  @Test
  void aGatedProductWithAnotherReaderIsTheSharedValueItself() {
    Value product = g.add(new Op.Mul(), shared, gate);
    g.output("product", product);
    check(g.add(new Op.Add(), residual, g.add(new Op.Add(), product, sum)))
        .fires(1)
        .makes(new Op.Combine(true, false, true))
        .givesTheSameValues()
        .inAnyOrder();
  }

  @Test
  void aSumThatSomebodyElseReadsIsRefused() {
    Value add = g.add(new Op.Add(), residual, sum);
    Value other = g.add(new Op.Neg(), sum);
    g.output("other", other);
    check(add)
        .fires(0)
        .isRefused(
            sum
                + " = combine has 2 readers ("
                + add
                + " = add, "
                + other
                + " = neg); the sum can be continued into one add");
  }

  @Test
  void aSumWithAddendsIsRefused() {
    Value fused =
        g.add(
            new Op.Combine(false, false, true),
            g.node(sum).input(0),
            g.node(sum).input(1),
            residual);
    Value add = g.add(new Op.Add(), fused, shared);
    GraphBuilder only = g.output("y", add);
    rule(new GateIntoCombine())
        .on(onlyFused(only, fused))
        .isRefused(fused + " = combine has 1 addends of its own");
  }

  private dev.heddle.ir.Graph onlyFused(GraphBuilder builder, Value fused) {
    var graph = builder.build("main");
    var sites =
        graph.nodes().stream()
            .filter(n -> !(n.op() instanceof Op.Combine) || n.id() == fused.node())
            .toList();
    return new dev.heddle.ir.Graph("main", sites, graph.outputs());
  }

  @Test
  void anAddendOfAnotherShapeIsRefused() {
    Value bias = g.weight("bias", TensorType.weight(DType.F32, 4));
    Value add = g.add(new Op.Add(), sum, bias);
    check(add).isRefused(add + " = add adds f32{4} to f32[T, 4]");
  }
}
