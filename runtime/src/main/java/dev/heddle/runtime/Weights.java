package dev.heddle.runtime;

import dev.heddle.gguf.Dequantiser;
import dev.heddle.gguf.GgufException;
import dev.heddle.gguf.GgufFile;
import dev.heddle.gguf.GgufTensor;
import dev.heddle.gguf.Synth;
import dev.heddle.ir.DType;
import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.bundle.Bundle;
import dev.heddle.ir.bundle.Manifest;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The tensors of a manifest at their addresses: in the mapped file where the kernels read the
 * stored type, in a dequantised copy where they read f32.
 */
final class Weights {
  /**
   * Values a thread dequantises before it takes more work: large enough to be worth the counter,
   * small enough to share.
   */
  private static final int CHUNK_VALUES = 1 << 18;

  private final Map<String, Placed> placed;

  /** A tensor's memory: {@code data} in type {@code type}, rows of {@code rowBytes}. */
  record Placed(MemorySegment data, DType type, long rowBytes) {}

  /**
   * A tensor that is needed as {@code wanted} says; {@code stored} is empty if it will be filled
   * with seeded values.
   */
  record Match(Manifest.Weight wanted, Optional<GgufTensor> stored) {
    boolean isCopied() {
      return wanted.loaded() != wanted.stored();
    }

    long values() {
      return wanted.dims().stream().reduce(1L, Math::multiplyExact);
    }

    long storedBytes() {
      return wanted.stored().bytes(values());
    }
  }

  private Weights(Map<String, Placed> placed) {
    this.placed = placed;
  }

  /**
   * Finds every tensor of the bundle in the source, with the type and dimensions that the bundle
   * was compiled for.
   */
  static List<Match> match(Bundle bundle, WeightSource source) {
    List<Match> matches = new ArrayList<>();
    for (Manifest.Weight wanted : bundle.manifest().weights()) {
      if (wanted.loaded() != wanted.stored() && wanted.loaded() != DType.F32) {
        throw new HeddleBug(
            "tensor "
                + wanted.tensor()
                + " would be loaded as "
                + wanted.loaded()
                + " from "
                + wanted.stored());
      }
      if (!wanted.packing().equals(Manifest.Weight.GGUF)) {
        throw new HeddleBug(
            "tensor "
                + wanted.tensor()
                + " would be packed as "
                + wanted.packing()
                + " for the JVM");
      }
      Optional<GgufTensor> stored =
          switch (source) {
            case WeightSource.File file -> Optional.of(find(bundle, file.gguf(), wanted));
            case WeightSource.Random random -> Optional.empty();
          };
      matches.add(new Match(wanted, stored));
    }
    return matches;
  }

  private static GgufTensor find(Bundle bundle, GgufFile gguf, Manifest.Weight wanted) {
    GgufTensor tensor =
        gguf.tensor(wanted.tensor())
            .orElseThrow(() ->
                new GgufException(
                    gguf.path()
                        + " has no tensor "
                        + wanted.tensor()
                        + ", which "
                        + bundle.name()
                        + " reads: compile this file itself (heddle compile FILE.gguf)"));
    if (tensor.type() != wanted.stored()) {
      throw new GgufException(
          gguf.path()
              + ", tensor "
              + wanted.tensor()
              + " has type "
              + tensor.type().text()
              + " but "
              + bundle.name()
              + " was compiled for "
              + wanted.stored().text()
              + ": compile this file itself (heddle compile FILE.gguf)");
    }
    List<Long> dims = trimmed(Arrays.stream(tensor.ne()).boxed().toList());
    if (!dims.equals(trimmed(wanted.dims()))) {
      throw new GgufException(
          gguf.path()
              + ", tensor "
              + wanted.tensor()
              + " has dimensions "
              + dims
              + " but "
              + bundle.name()
              + " was compiled for "
              + trimmed(wanted.dims())
              + ": compile this file itself (heddle compile FILE.gguf)");
    }
    return tensor;
  }

  /** Trailing dimensions of 1 mean nothing. */
  private static List<Long> trimmed(List<Long> dims) {
    int n = dims.size();
    while (n > 1 && dims.get(n - 1) == 1) {
      n--;
    }
    return dims.subList(0, n);
  }

  /** Places all tensors; seeded values and copies are made by the whole team. */
  static Weights place(
      List<Match> matches, WeightSource source, NativeMemory memory, Team team, Progress progress) {
    Map<String, Placed> placed = new HashMap<>();
    List<Piece> fills = new ArrayList<>();
    List<Piece> copies = new ArrayList<>();
    for (Match match : matches) {
      GgufTensor stored = match.stored().orElseGet(() -> seeded(match, source, memory, fills));
      if (match.isCopied()) {
        MemorySegment copy = memory.allocate(4 * match.values(), "the weights");
        placed.put(stored.name(), new Placed(copy, DType.F32, 4 * stored.rowLength()));
        split(
            stored, (from, to) -> copies.add(buffer -> dequantise(stored, copy, from, to, buffer)));
      } else {
        placed.put(stored.name(), new Placed(stored.data(), stored.type(), stored.rowBytes()));
      }
    }
    run(List.of(fills, copies), team, progress);
    return new Weights(placed);
  }

  private static GgufTensor seeded(
      Match match, WeightSource source, NativeMemory memory, List<Piece> fills) {
    long seed =
        switch (source) {
          case WeightSource.Random random -> random.seed();
          case WeightSource.File file ->
              throw new HeddleBug("tensor " + match.wanted().tensor() + " was not matched");
        };
    long[] dims = match.wanted().dims().stream().mapToLong(Long::longValue).toArray();
    MemorySegment data = memory.allocate(match.storedBytes(), "the weights");
    var tensor = new GgufTensor(match.wanted().tensor(), match.wanted().stored(), dims, data);
    split(
        tensor,
        (from, to) ->
            fills.add(buffer -> {
              long at = from * tensor.rowBytes();
              MemorySegment rows = data.asSlice(at, (to - from) * tensor.rowBytes());
              Synth.fill(tensor.name(), tensor.type(), dims, seed, at, rows);
              return buffer;
            }));
    return tensor;
  }

  /** Work on some rows; takes and gives the thread's row buffer. */
  private interface Piece {
    float[] run(float[] buffer);
  }

  /** Takes rows from (inclusive) to to (exclusive). */
  private interface Rows {
    void take(long from, long to);
  }

  private static void split(GgufTensor tensor, Rows rows) {
    long step = Math.max(1, CHUNK_VALUES / tensor.rowLength());
    for (long row = 0; row < tensor.rows(); row += step) {
      rows.take(row, Math.min(tensor.rows(), row + step));
    }
  }

  /** Runs the lists one after another, each in parallel. */
  private static void run(List<List<Piece>> stages, Team team, Progress progress) {
    List<AtomicLong> next = stages.stream().map(s -> new AtomicLong()).toList();
    long all = stages.stream().mapToLong(List::size).sum();
    var done = new AtomicLong();
    team.run(
        stages.size(),
        (stage, part, parts) -> {
          List<Piece> pieces = stages.get(stage);
          float[] row = new float[0];
          for (long i = next.get(stage).getAndIncrement();
              i < pieces.size();
              i = next.get(stage).getAndIncrement()) {
            row = pieces.get((int) i).run(row);
            long finished = done.incrementAndGet();
            if (part == 0) {
              progress.update(finished, all);
            }
          }
        });
    progress.update(all, all);
  }

  private static float[] dequantise(
      GgufTensor tensor, MemorySegment copy, long from, long to, float[] buffer) {
    int length = Math.toIntExact(tensor.rowLength());
    float[] row = buffer.length < length ? new float[length] : buffer;
    for (long r = from; r < to; r++) {
      Dequantiser.row(tensor.type(), tensor.data(), r * tensor.rowBytes(), row, 0, length);
      MemorySegment.copy(row, 0, copy, ValueLayout.JAVA_FLOAT, 4 * r * length, length);
    }
    return row;
  }

  /** A tensor's memory. */
  Placed tensor(String name) {
    Placed tensor = placed.get(name);
    if (tensor == null) {
      throw new HeddleBug("a plan reads tensor " + name + ", which the manifest does not list");
    }
    return tensor;
  }

  /** Address of a tensor's row. */
  long address(String name, long row) {
    Placed tensor = tensor(name);
    return tensor.data().address() + row * tensor.rowBytes();
  }
}
