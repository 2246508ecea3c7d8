package dev.heddle.runtime;

import dev.heddle.gguf.Dequantiser;
import dev.heddle.gguf.GgufException;
import dev.heddle.gguf.GgufFile;
import dev.heddle.gguf.GgufTensor;
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
 * The tensors of a manifest at their addresses: in the mapped file where the kernels read the stored type, in a dequantised copy where
 * they read f32.
 */
final class Weights {
  /** Values a thread dequantises before it takes more work: large enough to be worth the counter, small enough to share. */
  private static final int CHUNK_VALUES = 1 << 18;

  private final Map<String, Placed> placed;

  /** A tensor's memory: {@code data} in type {@code type}, rows of {@code rowBytes}. */
  record Placed(MemorySegment data, DType type, long rowBytes) {}

  /** A tensor that is needed as {@code wanted} says; {@code stored} is empty if it will be filled with seeded values. */
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

  /** Finds every tensor of the bundle in the source, with the type and dimensions that the bundle was compiled for. */
  static List<Match> match(Bundle bundle, WeightSource source) {
    List<Match> matches = new ArrayList<>();
    for (Manifest.Weight wanted : bundle.manifest().weights()) {
      if (wanted.loaded() != wanted.stored() && wanted.loaded() != DType.F32) {
        throw new HeddleBug("tensor " + wanted.tensor() + " would be loaded as " + wanted.loaded() + " from " + wanted.stored());
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
            .orElseThrow(
                () ->
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

  /** Places all tensors; copies are made by the whole team. */
  static Weights place(List<Match> matches, WeightSource source, NativeMemory memory, Team team, Progress progress) {
    Map<String, Placed> placed = new HashMap<>();
    List<Piece> pieces = new ArrayList<>();
    for (Match match : matches) {
      GgufTensor stored = match.stored().orElseGet(() -> seeded(match.wanted(), source, memory));
      if (match.isCopied()) {
        MemorySegment copy = memory.allocate(4 * match.values(), "the weights");
        placed.put(stored.name(), new Placed(copy, DType.F32, 4 * stored.rowLength()));
        split(stored, copy, pieces);
      } else {
        placed.put(stored.name(), new Placed(stored.data(), stored.type(), stored.rowBytes()));
      }
    }
    copy(pieces, team, progress);
    return new Weights(placed);
  }

  private static GgufTensor seeded(Manifest.Weight wanted, WeightSource source, NativeMemory memory) {
    throw new HeddleBug("no seeded weights yet");
  }

  /** Rows {@code from .. to} of a tensor that go to its copy. */
  private record Piece(GgufTensor tensor, MemorySegment copy, long from, long to) {}

  private static void split(GgufTensor tensor, MemorySegment copy, List<Piece> pieces) {
    long step = Math.max(1, CHUNK_VALUES / tensor.rowLength());
    for (long row = 0; row < tensor.rows(); row += step) {
      pieces.add(new Piece(tensor, copy, row, Math.min(tensor.rows(), row + step)));
    }
  }

  private static void copy(List<Piece> pieces, Team team, Progress progress) {
    var next = new AtomicLong();
    var done = new AtomicLong();
    team.run(
        1,
        (stage, part, parts) -> {
          float[] row = new float[0];
          for (int i = (int) next.getAndIncrement(); i < pieces.size(); i = (int) next.getAndIncrement()) {
            row = dequantise(pieces.get(i), row);
            long finished = done.incrementAndGet();
            if (part == 0) {
              progress.update(finished, pieces.size());
            }
          }
        });
    progress.update(pieces.size(), pieces.size());
  }

  private static float[] dequantise(Piece piece, float[] buffer) {
    GgufTensor tensor = piece.tensor();
    int length = Math.toIntExact(tensor.rowLength());
    float[] row = buffer.length < length ? new float[length] : buffer;
    for (long r = piece.from(); r < piece.to(); r++) {
      Dequantiser.row(tensor.type(), tensor.data(), r * tensor.rowBytes(), row, 0, length);
      MemorySegment.copy(row, 0, piece.copy(), ValueLayout.JAVA_FLOAT, 4 * r * length, length);
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
