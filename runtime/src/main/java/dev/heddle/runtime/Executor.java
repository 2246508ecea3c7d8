package dev.heddle.runtime;

import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.bundle.Bundle.PlanSize;
import dev.heddle.ir.bundle.Manifest;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.PlanKey.Rows;
import dev.heddle.ir.plan.abi.Scratch;
import dev.heddle.ir.plan.abi.StepHeader;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * Runs steps of a model: owns the KV pools of its sequences and the arena of intermediate values.
 * One thread at a time may use it.
 *
 * <p>A step either completes, or throws and changes nothing. Steps allocate no memory once a plan
 * has run before and HotSpot has compiled its kernels: vectors are objects until then, and a kernel
 * that runs once a step (the final norm) takes some 5 000 steps of one token to be compiled.
 */
public final class Executor implements AutoCloseable {
  /**
   * Prompts are cut where the position is a multiple of this, so that a prompt's result does not
   * depend on what was cached.
   */
  public static final int PROMPT_CHUNK = 512;

  private final Model model;
  private final Manifest manifest;
  private final List<PlanSize> sizes;
  private final BoundPlan[] plans;
  private final NativeMemory pools = new NativeMemory();
  private final NativeMemory arenaMemory = new NativeMemory();
  private final StepHeader header;
  private final KvCache kv;
  private final Scratch[] scratch;
  private final int[] pending;
  private final LogitRows result = new LogitRows();
  private final Team.Work stage = this::runStage;
  private final Team.Work observedStage = this::runObserved;
  private MemorySegment arena = MemorySegment.NULL;
  private BoundPlan current;
  private Observer observer;

  Executor(Model model) {
    this.model = model;
    manifest = model.manifest();
    sizes =
        model.plans().stream()
            .sorted(
                Comparator.comparingInt((PlanSize s) -> s.key().tokens())
                    .thenComparingInt(s -> s.key().outRows()))
            .toList();
    plans = new BoundPlan[sizes.size()];
    Options options = model.options();
    int tokens = sizes.stream().mapToInt(s -> s.key().tokens()).max().orElse(1);
    header = new StepHeader(tokens, options.slots(), options.context());
    kv = new KvCache(manifest.states(), options.poolBlocks(), header, pools);
    pending = new int[options.slots()];
    scratch = new Scratch[model.team().threads()];
    for (int i = 0; i < scratch.length; i++) {
      scratch[i] = new Scratch();
    }
  }

  /** Opens an empty sequence and gives its slot. */
  public int open() {
    return kv.open();
  }

  /** Ends a sequence and frees its blocks. */
  public void release(int slot) {
    kv.release(slot);
  }

  /** Positions of a sequence. */
  public int length(int slot) {
    return kv.length(slot);
  }

  /** Undoes all tokens of a sequence from position {@code positions} on. */
  public void truncate(int slot, int positions) {
    kv.truncate(slot, positions);
  }

  /** KV blocks that no sequence holds. */
  public int freeBlocks() {
    return kv.freeBlocks();
  }

  /** The model that this executor runs. */
  public Model model() {
    return model;
  }

  /** Looks into every launch of the following steps; null ends it. */
  public void observe(Observer other) {
    observer = other;
  }

  /** The position before which a prompt step that starts at {@code position} must end. */
  public static int chunkEnd(int position) {
    return (position / PROMPT_CHUNK + 1) * PROMPT_CHUNK;
  }

  /**
   * Appends a prompt to a sequence, chunk by chunk.
   *
   * @return the logits of its last token, one row
   */
  public LogitRows prompt(int slot, int[] tokens, Progress progress) {
    if (tokens.length == 0) {
      throw new StepException("the prompt is empty: give at least one token");
    }
    Batch batch = Batch.prompt();
    LogitRows rows = result;
    int at = 0;
    while (at < tokens.length) {
      int end = Math.min(tokens.length, at + chunkEnd(length(slot)) - length(slot));
      batch.clear();
      for (; at < end; at++) {
        batch.add(slot, tokens[at], at == tokens.length - 1);
      }
      rows = step(batch);
      progress.update(at, tokens.length);
    }
    return rows;
  }

  /**
   * Runs one step with the smallest plan that holds it.
   *
   * @return the logits of the rows that asked for them, in their order; valid until the next step
   * @throws StepException if the batch cannot be run: unknown token id, full context, too many
   *     rows, a chunk boundary inside
   * @throws OutOfBlocksException if the KV pools are full
   */
  public LogitRows step(Batch batch) {
    check(batch);
    if (batch.size() == 0) {
      return result.set(MemorySegment.NULL, 0, manifest.vocabulary());
    }
    BoundPlan plan = plan(batch);
    fill(batch);
    current = plan;
    try {
      if (observer == null) {
        plan.stages().divide(batch.size(), batch.wantedRows(), positions(batch));
        runStages(plan.stages());
      } else {
        model.team().run(2 * plan.launches(), observedStage);
      }
    } catch (Team.Failure e) {
      throw thrown(e);
    }
    for (int slot = 0; slot < pending.length; slot++) {
      if (pending[slot] > 0) {
        kv.commit(slot, kv.length(slot) + pending[slot]);
      }
    }
    return result.set(plan.logits(), batch.wantedRows(), manifest.vocabulary());
  }

  private void check(Batch batch) {
    Arrays.fill(pending, 0);
    int context = model.options().context();
    for (int row = 0; row < batch.size(); row++) {
      int token = batch.token(row);
      if (token < 0 || token >= manifest.vocabulary()) {
        throw new StepException(
            "token id "
                + token
                + " is not in the model's vocabulary: ids are 0 to "
                + (manifest.vocabulary() - 1)
                + "; use the tokenizer of this model");
      }
      int slot = batch.slot(row);
      int start = kv.length(slot);
      int position = start + pending[slot]++;
      if (position >= context) {
        throw new StepException(
            "sequence "
                + slot
                + " is full: its context has "
                + context
                + " positions; use a larger --ctx or a shorter prompt");
      }
      if (batch.rows() == Rows.PROMPT && position >= chunkEnd(start)) {
        throw new StepException(
            "a prompt step from position "
                + start
                + " must end at position "
                + chunkEnd(start)
                + ": cut the prompt there");
      }
    }
    int missing = 0;
    for (int slot = 0; slot < pending.length; slot++) {
      missing += pending[slot] == 0 ? 0 : kv.missing(slot, kv.length(slot) + pending[slot]);
    }
    if (missing > kv.freeBlocks()) {
      throw new OutOfBlocksException(missing, kv.freeBlocks(), kv.allBlocks());
    }
  }

  private BoundPlan plan(Batch batch) {
    for (int i = 0; i < sizes.size(); i++) {
      PlanKey key = sizes.get(i).key();
      if (key.rows() == batch.rows()
          && key.tokens() >= batch.size()
          && key.outRows() >= batch.wantedRows()) {
        return plans[i] == null ? bind(i) : plans[i];
      }
    }
    throw new StepException(
        "the bundle has no plan for a "
            + batch.rows().name().toLowerCase(java.util.Locale.ROOT)
            + " of "
            + batch.size()
            + " tokens and "
            + batch.wantedRows()
            + " rows of logits: its plans are "
            + String.join(", ", manifest.plans()));
  }

  private BoundPlan bind(int index) {
    PlanSize size = sizes.get(index);
    BoundPlan plan = new BoundPlan(model.bundle().plan(size.key().text()), model, kv);
    if (arena.byteSize() < size.arenaBytes()) {
      arenaMemory.close();
      arena = arenaMemory.allocate(size.arenaBytes(), "intermediate values");
      Arrays.stream(plans).filter(Objects::nonNull).forEach(p -> p.bind(arena));
    }
    plan.bind(arena);
    plans[index] = plan;
    return plan;
  }

  private void fill(Batch batch) {
    Arrays.fill(pending, 0);
    header.tokens = batch.size();
    header.outRows = batch.wantedRows();
    for (int row = 0; row < batch.size(); row++) {
      int slot = batch.slot(row);
      header.id[row] = batch.token(row);
      header.slot[row] = slot;
      header.position[row] = kv.length(slot) + pending[slot]++;
    }
    for (int slot = 0; slot < pending.length; slot++) {
      if (pending[slot] > 0) {
        kv.reserve(slot, kv.length(slot) + pending[slot]);
      }
    }
    for (int i = 0; i < batch.wantedRows(); i++) {
      header.outRow[i] = batch.wanted(i);
    }
  }

  /** The sum over the step's tokens of the positions that each looks at. */
  private double positions(Batch batch) {
    double sum = 0;
    for (int row = 0; row < batch.size(); row++) {
      sum += header.position[row] + 1;
    }
    return sum;
  }

  private void runStages(Stages stages) {
    if (stages.count() == 1 && !stages.isShared(0)) {
      runStage(0, 0, 1);
    } else {
      model.team().run(stages.count(), stage);
    }
  }

  private void runStage(int stage, int part, int parts) {
    Stages stages = current.stages();
    if (stages.isShared(stage)) {
      share(stages, stage, part, parts);
    } else if (part == 0) {
      for (int launch = stages.first(stage); launch < stages.first(stage + 1); launch++) {
        runLaunch(launch, 0, 1, scratch[0]);
      }
    }
  }

  /**
   * Long decode launches are taken piece by piece, so that a thread that the system takes away
   * holds up the others by one piece only; prompt kernels prepare their input in every piece.
   */
  private void share(Stages stages, int stage, int part, int parts) {
    int launch = stages.first(stage);
    int pieces = stages.pieces(stage);
    if (current.plan().key().rows() == Rows.PROMPT || pieces <= parts) {
      runLaunch(launch, part, parts, scratch[part]);
      return;
    }
    for (int piece = stages.take(stage); piece < pieces; piece = stages.take(stage)) {
      runLaunch(launch, piece, pieces, scratch[part]);
    }
  }

  private void runLaunch(int launch, int part, int parts, Scratch own) {
    try {
      current.kernel(launch).run(current.addresses(launch), header, own, part, parts);
    } catch (OutOfMemoryError e) {
      throw e;
    } catch (RuntimeException | Error e) {
      throw failure(launch, e);
    }
  }

  /** What a launch or an observer threw, as it would arrive from this thread alone. */
  private static RuntimeException thrown(Team.Failure e) {
    return switch (e.getCause()) {
      case RuntimeException cause -> cause;
      case Error cause -> throw cause;
      default -> e;
    };
  }

  /** Even stages launch, odd stages let the observer look. */
  private void runObserved(int stage, int part, int parts) {
    if (stage % 2 == 0) {
      runLaunch(stage / 2, part, parts, scratch[part]);
    } else if (part == 0) {
      observer.after(new Seen(current, stage / 2, current.kind(stage / 2), header));
    }
  }

  /** What an observer sees. */
  private record Seen(BoundPlan bound, int index, KernelKind kind, StepHeader header)
      implements Observer.Launched {
    @Override
    public Plan plan() {
      return bound.plan();
    }

    @Override
    public MemorySegment buffer(int i) {
      if (launch().args().get(i) instanceof Plan.Arg.Buf buf) {
        return bound.buffer(buf);
      }
      throw new HeddleBug("argument " + i + " of launch " + index + " is no buffer: " + launch());
    }
  }

  private HeddleBug failure(int launch, Throwable cause) {
    Plan plan = current.plan();
    int layer = plan.steps().get(launch).layer();
    return new HeddleBug(
        "launch "
            + launch
            + " of plan "
            + plan.key().text()
            + " ("
            + current.kind(launch)
            + ", layer "
            + layer
            + ") failed: "
            + cause,
        cause);
  }

  /** Frees the KV pools and the arena. */
  @Override
  public void close() {
    pools.close();
    arenaMemory.close();
  }
}
