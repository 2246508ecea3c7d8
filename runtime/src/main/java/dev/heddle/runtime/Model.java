package dev.heddle.runtime;

import dev.heddle.gguf.GgufTensor;
import dev.heddle.ir.EnvironmentException;
import dev.heddle.ir.bundle.Bundle;
import dev.heddle.ir.bundle.BundleReader;
import dev.heddle.ir.bundle.Manifest;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.RopeTable;
import dev.heddle.ir.plan.abi.JvmKernel;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A bundle with its weights, ready to run: kernels defined, tensors placed, rope tables computed.
 * Holds the thread team. Executors made from it must be closed before it is.
 */
public final class Model implements AutoCloseable {
  private static final Pattern VECTORS = Pattern.compile("jvm-(\\d{1,5})");

  private final Bundle bundle;
  private final Options options;
  private final MemoryPlan memoryPlan;
  private final List<Bundle.PlanSize> plans;
  private final NativeMemory memory;
  private final Team team;
  private final Weights weights;
  private final List<MemorySegment> tables;
  private final List<JvmKernel> kernels;

  private Model(
      Bundle bundle,
      Options options,
      MemoryPlan memoryPlan,
      List<Bundle.PlanSize> plans,
      NativeMemory memory,
      Team team,
      Weights weights,
      List<MemorySegment> tables,
      List<JvmKernel> kernels) {
    this.bundle = bundle;
    this.options = options;
    this.memoryPlan = memoryPlan;
    this.plans = plans;
    this.memory = memory;
    this.team = team;
    this.weights = weights;
    this.tables = tables;
    this.kernels = kernels;
  }

  /** Opens the bundle and loads it. */
  public static Model load(Path bundle, WeightSource source, Options options, Progress progress) {
    return load(BundleReader.open(bundle), source, options, progress);
  }

  /**
   * Loads a bundle: checks target, tensors and memory, then allocates, copies and computes what is
   * needed.
   *
   * @throws EnvironmentException if this machine has not the vectors or the memory
   */
  public static Model load(Bundle bundle, WeightSource source, Options options, Progress progress) {
    Manifest manifest = bundle.manifest();
    checkTarget(bundle, Devices.vectorBits());
    List<Bundle.PlanSize> plans = new ArrayList<>();
    manifest.plans().forEach(key -> plans.add(bundle.planSize(key)));
    List<Weights.Match> matches = Weights.match(bundle, source);
    MemoryPlan plan = plan(manifest, plans, matches, options);
    plan.check(Devices.freeMemory(), options);
    var memory = new NativeMemory();
    var team = new Team(options.threads());
    try {
      List<JvmKernel> kernels = KernelLoader.load(bundle);
      Weights weights = Weights.place(matches, source, memory, team, progress);
      List<MemorySegment> tables = new ArrayList<>();
      for (RopeTable table : manifest.ropeTables()) {
        tables.add(
            RopeTables.compute(table, factors(table, weights), options.context(), memory, team));
      }
      return new Model(bundle, options, plan, plans, memory, team, weights, tables, kernels);
    } catch (RuntimeException | Error e) {
      team.close();
      memory.close();
      throw e;
    }
  }

  static void checkTarget(Bundle bundle, int vectorBits) {
    Manifest manifest = bundle.manifest();
    if (!manifest.target().equals("jvm")) {
      throw new EnvironmentException(
          bundle.name()
              + " was compiled for "
              + manifest.target()
              + ", which this heddle cannot run: compile the model again with --target jvm");
    }
    Matcher vectors = VECTORS.matcher(manifest.arch());
    if (vectors.matches() && Integer.parseInt(vectors.group(1)) > vectorBits) {
      throw new EnvironmentException(
          bundle.name()
              + " was compiled for vectors of "
              + vectors.group(1)
              + " bits but this machine has "
              + vectorBits
              + ": compile it here with heddle compile "
              + manifest.model()
              + " --config "
              + manifest.config()
              + " --target jvm, or give heddle compile the GGUF file");
    }
  }

  private static MemoryPlan plan(
      Manifest manifest,
      List<Bundle.PlanSize> plans,
      List<Weights.Match> matches,
      Options options) {
    long mapped = 0;
    long copied = 0;
    for (Weights.Match match : matches) {
      if (match.stored().isPresent()) {
        mapped += match.stored().get().data().byteSize();
      } else {
        copied += match.storedBytes();
      }
      copied += match.isCopied() ? 4 * match.values() : 0;
    }
    long kv = 0;
    for (Manifest.State state : manifest.states()) {
      kv = Math.addExact(kv, Math.multiplyExact(options.poolBlocks(), KvCache.blockBytes(state)));
    }
    long arena = plans.stream().mapToLong(Bundle.PlanSize::arenaBytes).max().orElse(0);
    long tables = 0;
    for (RopeTable table : manifest.ropeTables()) {
      tables += 4L * table.dims() * options.context();
    }
    return new MemoryPlan(mapped, copied, kv, arena, tables);
  }

  /** The tensor of frequency divisors, f32{dims / 2}, or null if the table has none. */
  private static float[] factors(RopeTable table, Weights weights) {
    if (table.factorsTensor().isEmpty()) {
      return null;
    }
    Weights.Placed tensor = weights.tensor(table.factorsTensor());
    return new GgufTensor(
            table.factorsTensor(), tensor.type(), new long[] {table.dims() / 2}, tensor.data())
        .toFloats();
  }

  /** A new executor with empty KV pools. */
  public Executor newExecutor() {
    return new Executor(this);
  }

  public Bundle bundle() {
    return bundle;
  }

  public Manifest manifest() {
    return bundle.manifest();
  }

  public Options options() {
    return options;
  }

  /** What the model takes with one executor. */
  public MemoryPlan memoryPlan() {
    return memoryPlan;
  }

  /** The threads that run everything of this model. */
  public Team team() {
    return team;
  }

  /** Keys and arena sizes of all plans. */
  List<Bundle.PlanSize> plans() {
    return plans;
  }

  Weights weights() {
    return weights;
  }

  MemorySegment table(int index) {
    return tables.get(index);
  }

  JvmKernel kernel(int index) {
    return kernels.get(index);
  }

  /** The most tokens a step of this class may have; 0 if the bundle has no plan of it. */
  public int maxTokens(PlanKey.Rows rows) {
    return plans.stream()
        .map(Bundle.PlanSize::key)
        .filter(k -> k.rows() == rows)
        .mapToInt(PlanKey::tokens)
        .max()
        .orElse(0);
  }

  /** Frees weights and tables and ends the threads. */
  @Override
  public void close() {
    team.close();
    memory.close();
  }
}
