package dev.heddle.runtime;

import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.abi.JvmKernel;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A plan with kernels and addresses in place of indices and names. */
final class BoundPlan {
  private final Plan plan;
  private final Model model;
  private final KvCache kv;
  private final JvmKernel[] kernels;
  private final long[][] addresses;
  private final Stages stages;
  private final Plan.Buffer logitsBuffer;
  private MemorySegment arena = MemorySegment.NULL;
  private MemorySegment logits = MemorySegment.NULL;

  BoundPlan(Plan plan, Model model, KvCache kv) {
    this.plan = plan;
    this.model = model;
    this.kv = kv;
    List<Plan.Launch> steps = plan.steps();
    kernels = new JvmKernel[steps.size()];
    addresses = new long[steps.size()][];
    LaunchCost[] costs = new LaunchCost[steps.size()];
    for (int i = 0; i < kernels.length; i++) {
      costs[i] = LaunchCost.of(plan, steps.get(i), kind(i));
      kernels[i] = model.kernel(steps.get(i).kernel());
      addresses[i] = new long[steps.get(i).args().size()];
    }
    stages = new Stages(costs);
    logitsBuffer =
        plan.outputs().stream()
            .filter(o -> o.name().equals("logits"))
            .map(o -> plan.buffers().get(o.buffer()))
            .findFirst()
            .orElseThrow(
                () -> new HeddleBug("plan " + plan.key().text() + " has no output named logits"));
  }

  /** Resolves every argument against the arena at its present place. */
  void bind(MemorySegment at) {
    arena = at;
    logits = at.asSlice(logitsBuffer.offset(), logitsBuffer.bytes());
    for (int i = 0; i < addresses.length; i++) {
      List<Plan.Arg> args = plan.steps().get(i).args();
      for (int j = 0; j < args.size(); j++) {
        addresses[i][j] = address(args.get(j));
      }
    }
  }

  private long address(Plan.Arg arg) {
    return switch (arg) {
      case Plan.Arg.Buf buf -> buffer(buf).address();
      case Plan.Arg.Weight weight -> model.weights().address(weight.tensor(), weight.rowFrom());
      case Plan.Arg.State state -> kv.pool(state.name()).address();
      case Plan.Arg.Table table -> model.table(table.table()).address();
    };
  }

  /** The bytes of a buffer argument, from its offset to the buffer's end. */
  MemorySegment buffer(Plan.Arg.Buf buf) {
    Plan.Buffer buffer = plan.buffers().get(buf.buffer());
    return arena.asSlice(buffer.offset() + buf.byteOffset(), buffer.bytes() - buf.byteOffset());
  }

  Plan plan() {
    return plan;
  }

  int launches() {
    return kernels.length;
  }

  /** What a launch computes. */
  KernelKind kind(int launch) {
    return model.manifest().kernels().get(plan.steps().get(launch).kernel()).kind();
  }

  /** How the present step is shared among threads. */
  Stages stages() {
    return stages;
  }

  JvmKernel kernel(int launch) {
    return kernels[launch];
  }

  long[] addresses(int launch) {
    return addresses[launch];
  }

  /** Where the step's logits stand. */
  MemorySegment logits() {
    return logits;
  }
}
