package dev.heddle.runtime;

import dev.heddle.gguf.GgufFile;
import dev.heddle.gguf.GgufValue;
import dev.heddle.gguf.GgufWriter;
import dev.heddle.ir.DType;
import dev.heddle.ir.Dim;
import dev.heddle.ir.Op;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.bundle.Bundle;
import dev.heddle.ir.bundle.BundleContents;
import dev.heddle.ir.bundle.Manifest;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.PlanKey.Rows;
import dev.heddle.ir.plan.RopeTable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A model of 8 tokens and 4 values a row whose logits are known: logit o of position p is 1 + sum_i
 * head[o, i] sum_{j <= p} (j + 1) embedding[token_j, i].
 */
public final class TinyBundle {
  public static final int N = 4;
  public static final int V = 8;

  private static final List<Class<?>> KERNELS =
      List.of(
          TestKernels.Trap.class,
          TestKernels.Embed.class,
          TestKernels.Append.class,
          TestKernels.History.class,
          TestKernels.Head.class);

  private TinyBundle() {}

  public static float embedding(int token, int i) {
    return (token * 5 + i * 3) % 7 - 3;
  }

  public static float head(int token, int i) {
    return (token * 3 + i * 2) % 5 - 2;
  }

  /**
   * The logits after the last of {@code tokens}; small integers, so every order of sums gives the
   * same.
   */
  public static float[] logits(int... tokens) {
    float[] logits = new float[V];
    for (int o = 0; o < V; o++) {
      float sum = 1;
      for (int i = 0; i < N; i++) {
        for (int j = 0; j < tokens.length; j++) {
          sum += head(o, i) * (j + 1) * embedding(tokens[j], i);
        }
      }
      logits[o] = sum;
    }
    return logits;
  }

  public static Bundle bundle() {
    return bundle("jvm", DType.F32);
  }

  public static Bundle bundle(String arch, DType stored) {
    return bundle(
        arch,
        stored,
        List.of(key(Rows.STEP, 1, 1), key(Rows.STEP, 4, 4), key(Rows.PROMPT, 512, 1)));
  }

  public static Bundle bundle(String arch, DType stored, List<PlanKey> keys) {
    List<Plan> plans = keys.stream().map(TinyBundle::plan).toList();
    List<Manifest.Kernel> kernels =
        List.of(
            new Manifest.Kernel("Trap", new KernelKind.TakeRowsKernel(N)),
            new Manifest.Kernel("Embed", new KernelKind.EmbedKernel(DType.F32, N, V, 1)),
            new Manifest.Kernel("Append", new KernelKind.KvAppendKernel(DType.F32, 1, N)),
            new Manifest.Kernel(
                "History", new KernelKind.ReduceKernel(Count.TOKENS, 1, N, KernelKind.Reduce.SUM)),
            new Manifest.Kernel("Head", new KernelKind.ArgmaxKernel(V)));
    var manifest =
        new Manifest(
            Manifest.FORMAT,
            "0.1.0",
            "tiny",
            "test",
            Map.of(),
            "jvm",
            arch,
            List.of(),
            List.of(),
            DType.F32,
            1024,
            V,
            List.of(
                new Manifest.Weight(
                    "token_embd.weight", stored, List.of((long) N, (long) V), DType.F32),
                new Manifest.Weight(
                    "output.weight", DType.F32, List.of((long) N, (long) V), DType.F32)),
            List.of(new Manifest.State("blk.0.k", 0, DType.F32, 1, N, "append")),
            List.of(new RopeTable(N, 10000, new Op.RopeScaling.None(), "")),
            kernels,
            keys.stream().map(PlanKey::text).toList(),
            Map.of());
    List<BundleContents.KernelFile> files = new ArrayList<>();
    for (int i = 0; i < kernels.size(); i++) {
      files.add(
          new BundleContents.KernelFile(kernels.get(i).name(), "", classBytes(KERNELS.get(i))));
    }
    return Bundle.of(new BundleContents(manifest, "", plans, files, "{}"));
  }

  public static PlanKey key(Rows rows, int tokens, int outRows) {
    return new PlanKey(rows, tokens, outRows);
  }

  private static Plan plan(PlanKey key) {
    long rows = 4L * N * key.tokens();
    long aligned = (rows + 63) / 64 * 64;
    var type = TensorType.f32(Dim.T, Dim.of(N));
    var buffers =
        List.of(
            new Plan.Buffer(0, 0, 0, type, 0, rows, 1, 3),
            new Plan.Buffer(1, 1, 0, type, aligned, rows, 3, 4),
            new Plan.Buffer(
                2,
                2,
                0,
                TensorType.f32(Dim.R, Dim.of(V)),
                2 * aligned,
                4L * V * key.outRows(),
                4,
                5));
    var steps =
        List.of(
            new Plan.Launch(0, List.of(), List.of(), -1),
            new Plan.Launch(
                1,
                List.of(new Plan.Arg.Buf(0, 0), new Plan.Arg.Weight("token_embd.weight", 0, V)),
                List.of(),
                -1),
            new Plan.Launch(
                2, List.of(new Plan.Arg.State("blk.0.k"), new Plan.Arg.Buf(0, 0)), List.of(), 0),
            new Plan.Launch(
                3,
                List.of(
                    new Plan.Arg.Buf(1, 0), new Plan.Arg.Buf(0, 0), new Plan.Arg.State("blk.0.k")),
                List.of(),
                0),
            new Plan.Launch(
                4,
                List.of(
                    new Plan.Arg.Buf(2, 0),
                    new Plan.Arg.Weight("output.weight", 0, V),
                    new Plan.Arg.Buf(1, 0),
                    new Plan.Arg.Table(0)),
                List.of(),
                -1));
    long arena = 2 * aligned + 4L * V * key.outRows();
    return new Plan(key, arena, buffers, steps, List.of(new Plan.Output("logits", 2)));
  }

  private static byte[] classBytes(Class<?> c) {
    try (InputStream in =
        c.getResourceAsStream(c.getName().substring(c.getPackageName().length() + 1) + ".class")) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes the weights: the embedding in {@code stored} (F32 or F16), the head in F32. */
  public static GgufFile weights(Path folder, DType stored) {
    Path path = folder.resolve("tiny-" + stored.text() + ".gguf");
    var tensors =
        List.of(
            new GgufWriter.Tensor("token_embd.weight", stored, new long[] {N, V}),
            new GgufWriter.Tensor("output.weight", DType.F32, new long[] {N, V}));
    try (var writer =
        GgufWriter.create(path, Map.of("general.architecture", GgufValue.text("tiny")), tensors)) {
      float[] embedding = new float[N * V];
      float[] head = new float[N * V];
      short[] half = new short[N * V];
      for (int t = 0; t < V; t++) {
        for (int i = 0; i < N; i++) {
          embedding[N * t + i] = embedding(t, i);
          half[N * t + i] = Float.floatToFloat16(embedding(t, i));
          head[N * t + i] = head(t, i);
        }
      }
      writer.append(
          bytes(
              stored == DType.F16
                  ? MemorySegment.ofArray(half)
                  : MemorySegment.ofArray(embedding)));
      writer.append(bytes(MemorySegment.ofArray(head)));
      writer.commit();
    }
    return GgufFile.open(path);
  }

  private static MemorySegment bytes(MemorySegment values) {
    return MemorySegment.ofArray(values.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
  }
}
