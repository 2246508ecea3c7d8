package dev.heddle.passes.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.heddle.ir.DType;
import dev.heddle.ir.Dim;
import dev.heddle.ir.Graph;
import dev.heddle.ir.GraphBuilder;
import dev.heddle.ir.GraphException;
import dev.heddle.ir.Op;
import dev.heddle.ir.Shape;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.Value;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.KernelKind.Binary;
import dev.heddle.ir.plan.KernelKind.BinaryKernel;
import dev.heddle.ir.plan.KernelKind.Broadcast;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.KernelKind.SliceKernel;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.PlanKey.Rows;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoweringTest {
  private final GraphBuilder g = new GraphBuilder();
  private final Value ids = g.input(Op.InputKind.IDS);
  private final Value x =
      g.add(new Op.Embed(1), g.weight("e", TensorType.weight(DType.F32, 24, 9)), ids);

  @Test
  void reshapesHaveNoLaunchAndBelongToTheOneBeneath() {
    g.output(
        "out",
        g.add(new Op.Neg(), g.add(new Op.Reshape(Shape.of(Dim.T, Dim.of(2), Dim.of(12))), x)));
    Schedule schedule = lowered();

    assertEquals(List.of(2, 3), schedule.launches().get(0).nodes());
    assertEquals(
        List.of(new Plan.Arg.Buf(1, 0), new Plan.Arg.Buf(0, 0)), schedule.launches().get(1).args());
  }

  @Test
  void aSecondOperandOfOneValueARowIsReadByInnerRows() {
    Value heads = g.add(new Op.Reshape(Shape.of(Dim.T, Dim.of(3), Dim.of(8))), x);
    assertEquals(
        new BinaryKernel(Count.TOKENS, 3, 8, Binary.MUL, Broadcast.INNER),
        kernel(new Op.Mul(), heads, g.add(new Op.Sum(), heads)));
  }

  @Test
  void aSecondOperandOfOneValueATokenIsReadByTokens() {
    Value heads = g.add(new Op.Reshape(Shape.of(Dim.T, Dim.of(3), Dim.of(8))), x);
    Value one =
        g.add(new Op.Reshape(Shape.of(Dim.T, Dim.of(1), Dim.of(1))), g.add(new Op.Sum(), x));
    assertEquals(
        new BinaryKernel(Count.TOKENS, 1, 24, Binary.DIV, Broadcast.INNER),
        kernel(new Op.Div(), heads, one));
  }

  @Test
  void aWeightIsReadByAllRows() {
    Value heads = g.add(new Op.Reshape(Shape.of(Dim.T, Dim.of(3), Dim.of(8))), x);
    Value w = g.weight("w", TensorType.weight(DType.F32, 8));
    Value perHead = g.weight("p", TensorType.weight(DType.F32, 8, 3));
    assertEquals(
        new BinaryKernel(Count.TOKENS, 3, 8, Binary.SUB, Broadcast.OUTER),
        kernel(new Op.Sub(), heads, w));
    assertEquals(
        new BinaryKernel(Count.TOKENS, 1, 24, Binary.ADD, Broadcast.OUTER),
        kernel(new Op.Add(), heads, perHead));
  }

  @Test
  void aWeightOfOneValueIsAScalar() {
    assertEquals(
        new BinaryKernel(Count.TOKENS, 1, 24, Binary.MUL, Broadcast.SCALAR),
        kernel(new Op.Mul(), x, g.weight("w", TensorType.weight(DType.F32, 1))));
  }

  @Test
  void slicesOfAnyDimensionOfARowAreCopies() {
    Value heads = g.add(new Op.Reshape(Shape.of(Dim.T, Dim.of(3), Dim.of(8))), x);
    assertEquals(new SliceKernel(Count.TOKENS, 3, 8, 2, 4), kernel(new Op.Slice(-1, 2, 6), heads));
    assertEquals(new SliceKernel(Count.TOKENS, 1, 24, 8, 16), kernel(new Op.Slice(1, 1, 3), heads));
  }

  @Test
  void opsAfterTakeRowsCountOutputRows() {
    Value taken = g.add(new Op.TakeRows(), x, g.input(Op.InputKind.OUT_ROWS));
    assertEquals(
        new KernelKind.UnaryKernel(Count.OUT_ROWS, 24, KernelKind.Unary.SILU, 0, 0),
        kernel(new Op.Silu(), taken));
  }

  @Test
  void onlyProductsAndAttentionDifferBetweenStepsAndPrompts() {
    g.output(
        "out",
        g.add(
            new Op.Matmul(false, false),
            g.weight("w", TensorType.weight(DType.Q4_0, 64, 5)),
            wide()));
    Scheduler.Schedules schedules = Scheduler.of(g.build("main"));

    assertEquals(
        List.of(
            new KernelKind.MatmulKernel(
                Rows.STEP, Count.TOKENS, DType.Q4_0, DType.F32, 64, 5, false, false),
            new KernelKind.MatmulKernel(
                Rows.PROMPT, Count.TOKENS, DType.Q4_0, DType.F32, 64, 5, false, false)),
        schedules.kernels().stream().filter(k -> k instanceof KernelKind.MatmulKernel).toList());
    assertEquals(4, schedules.kernels().size());
  }

  @Test
  void readersOfAStateComeBeforeItsNextVersion() {
    Value row = g.add(new Op.Reshape(Shape.of(Dim.T, Dim.of(3), Dim.of(8))), x);
    Value pos = g.input(Op.InputKind.POS);
    Value k = g.state("k", Op.Rollback.APPEND, TensorType.f32(Dim.C, Dim.of(3), Dim.of(8)));
    Value after = g.add(new Op.KvAppend(), k, row, pos);
    Value before = g.add(new Op.Attention(1), row, k, k, pos);
    g.output("state:k", after);
    g.output("out", before);
    Graph graph = g.build("main");

    List<Integer> order = Order.of(graph).stream().map(n -> n.id()).toList();

    assertEquals(true, order.indexOf(before.node()) < order.indexOf(after.node()));
  }

  @Test
  void aFormWithoutKernelIsNamedWithItsNode() {
    Value heads = g.add(new Op.Reshape(Shape.of(Dim.T, Dim.of(3), Dim.of(8))), x);
    Value y =
        g.add(
            new Op.Matmul(false, false), g.weight("w", TensorType.weight(DType.F32, 8, 5)), heads);
    g.output("out", y);

    GraphException e = assertThrows(GraphException.class, this::lowered);

    assertEquals(
        "%5 = matmul : f32[T, 3, 5] (-) has no kernel: the kernel takes one row for each token, not 3",
        e.getMessage());
  }

  private Value wide() {
    return g.add(new Op.Embed(1), g.weight("wide", TensorType.weight(DType.F32, 64, 9)), ids);
  }

  private KernelKind kernel(Op op, Value... inputs) {
    Value value = g.add(op, inputs);
    Graph graph =
        new Graph("main", g.build("main").nodes(), List.of(new Graph.Output("out", value)));
    Scheduler.Schedules schedules = Scheduler.of(graph);
    Plan.Launch launch = schedules.byRows().get(Rows.STEP).launches().getLast();
    return schedules.kernels().get(launch.kernel());
  }

  private Schedule lowered() {
    return Scheduler.of(g.build("main")).byRows().get(Rows.STEP);
  }
}
