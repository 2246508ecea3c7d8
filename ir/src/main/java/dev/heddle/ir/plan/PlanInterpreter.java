package dev.heddle.ir.plan;

import dev.heddle.ir.DType;
import dev.heddle.ir.Interpreter;
import dev.heddle.ir.Op;
import dev.heddle.ir.Precision;
import dev.heddle.ir.StepInput;
import dev.heddle.ir.Tensor;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.WeightSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs a plan with the reference interpreter's ops in f32 on real arena bytes, launch by launch,
 * and proves as it goes that schedule and memory plan are right: every byte read must have been
 * written in this step by the producer of the buffer it is read as, and by nobody since. It sees
 * kernel kinds and arguments alone, as a target does, so equal results also prove the lowering.
 */
public final class PlanInterpreter {
  private final Plan plan;
  private final List<KernelKind> kernels;
  private final List<RopeTable> ropeTables;
  private final WeightSource weights;

  /**
   * An interpreter of one plan.
   *
   * @param kernels the bundle's kernel kinds
   * @param ropeTables the bundle's rope tables
   * @param weights values of weights
   */
  public PlanInterpreter(
      Plan plan, List<KernelKind> kernels, List<RopeTable> ropeTables, WeightSource weights) {
    this.plan = plan;
    this.kernels = List.copyOf(kernels);
    this.ropeTables = List.copyOf(ropeTables);
    this.weights = weights;
  }

  /**
   * The plan's outputs by name. The step's states are appended to.
   *
   * @throws PlanFault if a read is not ordered after its write, memory is shared by live values, or
   *     an argument is out of bounds
   */
  public Map<String, Tensor> run(StepInput step) {
    if (step.ids().length > plan.key().tokens() || step.outRows().length > plan.key().outRows()) {
      throw new PlanFault(
          "plan "
              + plan.key().text()
              + " cannot run "
              + step.ids().length
              + " tokens with "
              + step.outRows().length
              + " output rows");
    }
    Interpreter ops = new Interpreter(Precision.F32, weights, step);
    ArenaBytes arena = new ArenaBytes(plan, step);
    for (int i = 0; i < plan.steps().size(); i++) {
      launch(i, ops, arena);
    }
    Map<String, Tensor> outputs = new LinkedHashMap<>();
    for (Plan.Output output : plan.outputs()) {
      Plan.Buffer buffer = plan.buffers().get(output.buffer());
      alive("output '" + output.name() + "'", buffer, plan.steps().size());
      outputs.put(
          output.name(),
          arena.read(
              "output '" + output.name() + "'", new Plan.Arg.Buf(buffer.id(), 0), buffer.type()));
    }
    return outputs;
  }

  private void launch(int index, Interpreter ops, ArenaBytes arena) {
    Plan.Launch launch = plan.steps().get(index);
    String name =
        "launch " + index + " (" + kernels.get(launch.kernel()) + " for " + nodes(launch) + ")";
    KernelMeaning meaning =
        KernelMeaning.of(kernels.get(launch.kernel()), launch.args(), ropeTables);
    apart(name, launch, meaning.results().size());
    List<Tensor> inputs = new ArrayList<>();
    for (KernelMeaning.Input input : meaning.inputs()) {
      inputs.add(input(name, index, launch, input, ops, arena));
    }
    List<Tensor> results;
    try {
      results = ops.evaluate(meaning.op(), meaning.results(), inputs);
    } catch (IllegalArgumentException e) {
      throw new PlanFault(name + " cannot run: " + e.getMessage(), e);
    }
    for (int r = 0; r < meaning.results().size(); r++) {
      write(name, index, launch, r, meaning, inputs, results, arena);
    }
  }

  private void write(
      String name,
      int index,
      Plan.Launch launch,
      int result,
      KernelMeaning meaning,
      List<Tensor> inputs,
      List<Tensor> results,
      ArenaBytes arena) {
    if (!(launch.args().get(result) instanceof Plan.Arg.Buf buf)) {
      throw new PlanFault(name + " has argument " + result + " for its result, which is no buffer");
    }
    Plan.Buffer buffer = plan.buffers().get(buf.buffer());
    if (buffer.firstStep() != index || !launch.nodes().contains(buffer.node())) {
      throw new PlanFault(
          name
              + " writes "
              + ArenaBytes.name(buffer)
              + ", which launch "
              + buffer.firstStep()
              + " makes");
    }
    // The values of q8_1 rows do not give the rows' bytes back: rows are made from what was
    // quantised.
    Tensor value = meaning.op() instanceof Op.Quantise ? inputs.get(0) : results.get(result);
    arena.write(name, buf, meaning.results().get(result), value);
  }

  private Tensor input(
      String name,
      int index,
      Plan.Launch launch,
      KernelMeaning.Input input,
      Interpreter ops,
      ArenaBytes arena) {
    return switch (input) {
      case KernelMeaning.Input.Header h ->
          ops.evaluate(new Op.Input(h.kind()), List.of(), List.of()).get(0);
      case KernelMeaning.Input.Factors f ->
          weight(
              ops,
              Op.Weight.whole(f.table().factorsTensor()),
              TensorType.weight(DType.F32, f.table().dims() / 2));
      case KernelMeaning.Input.Arg a ->
          switch (launch.args().get(a.arg())) {
            case Plan.Arg.Buf buf -> {
              alive(name, plan.buffers().get(buf.buffer()), index);
              yield arena.read(name, buf, a.type());
            }
            case Plan.Arg.Weight w ->
                weight(ops, new Op.Weight(w.tensor(), w.rowFrom(), w.rowTo()), a.type());
            case Plan.Arg.State s -> new Tensor.Cache(s.name(), a.type());
            case Plan.Arg.Table t ->
                throw new PlanFault(name + " reads rope table " + t.table() + " as a tensor");
          };
    };
  }

  private static Tensor weight(Interpreter ops, Op.Weight weight, TensorType type) {
    return ops.evaluate(weight, List.of(type), List.of()).get(0);
  }

  private static void alive(String reader, Plan.Buffer buffer, int step) {
    if (step > buffer.lastStep()) {
      throw new PlanFault(
          reader
              + " reads "
              + ArenaBytes.name(buffer)
              + ", whose last reader was to be launch "
              + buffer.lastStep());
    }
  }

  /** Kernels write results while they still read inputs: the two may not share bytes. */
  private void apart(String name, Plan.Launch launch, int results) {
    for (int r = 0; r < results; r++) {
      for (int i = results; i < launch.args().size(); i++) {
        if (launch.args().get(r) instanceof Plan.Arg.Buf out
            && launch.args().get(i) instanceof Plan.Arg.Buf in) {
          Plan.Buffer a = plan.buffers().get(out.buffer());
          Plan.Buffer b = plan.buffers().get(in.buffer());
          if (a.offset() < b.offset() + b.bytes() && b.offset() < a.offset() + a.bytes()) {
            throw new PlanFault(
                name + " writes " + ArenaBytes.name(a) + " over its input " + ArenaBytes.name(b));
          }
        }
      }
    }
  }

  private static String nodes(Plan.Launch launch) {
    return String.join(" ", launch.nodes().stream().map(n -> "%" + n).toList());
  }
}
