package dev.heddle.gguf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.DType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A writer killed at any moment leaves a whole file or none, and no obstacle for the next writer.
 */
class GgufWriterKillTest {
  private static final List<GgufWriter.Tensor> TENSORS =
      List.of(new GgufWriter.Tensor("w", DType.Q8_0, new long[] {1024, 4000}));

  @TempDir Path folder;

  /** What the killed process runs: writes the file again and again, another seed each time. */
  public static final class Endless {
    private Endless() {}

    /** Writes until killed. */
    public static void main(String[] args) {
      for (long seed = 0; ; seed++) {
        Synth.write(
            Path.of(args[0]),
            Map.of("seed", new GgufValue.Int(GgufValue.Type.I64, seed)),
            TENSORS,
            seed,
            Progress.NONE);
      }
    }
  }

  @Test
  void theFileIsWholeWheneverTheWriterIsKilled() throws IOException, InterruptedException {
    Path path = folder.resolve("model.gguf");
    SplittableRandom random = new SplittableRandom(4);
    for (int round = 0; round < 4; round++) {
      Process writer =
          new ProcessBuilder(
                  ProcessHandle.current().info().command().orElseThrow(),
                  "-Xshare:auto",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Endless.class.getName(),
                  path.toString())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("log").toFile())
              .start();
      awaitFile(path, writer);
      Thread.sleep(random.nextInt(150));
      writer.destroyForcibly();
      assertTrue(writer.waitFor(20, TimeUnit.SECONDS), "the writer outlives a kill");
      try (GgufFile file = GgufFile.open(path)) {
        long seed = file.metadata().integer("seed").orElseThrow();
        GgufTensor tensor = file.require("w");
        MemorySegment expected = MemorySegment.ofArray(new byte[(int) tensor.data().byteSize()]);
        Synth.fill("w", tensor.type(), tensor.ne(), seed, expected);
        assertEquals(-1, expected.mismatch(tensor.data()), "round " + round + ", seed " + seed);
      }
      Files.delete(path);
    }
    Synth.write(path, Map.of(), TENSORS, 1, Progress.NONE);
    assertTrue(Files.notExists(folder.resolve(".model.gguf.part")));
  }

  private void awaitFile(Path path, Process writer) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!Files.exists(path)) {
      assertTrue(writer.isAlive() && System.nanoTime() < end, () -> "no file: " + log());
      Thread.sleep(5);
    }
  }

  private String log() {
    try {
      return Files.readString(folder.resolve("log"));
    } catch (IOException e) {
      return e.toString();
    }
  }
}
