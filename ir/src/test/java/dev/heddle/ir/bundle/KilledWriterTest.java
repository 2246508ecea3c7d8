package dev.heddle.ir.bundle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class KilledWriterTest {
  private static final long SEED = 11;

  @TempDir Path folder;

  @Test
  @Timeout(60)
  void killedWriterLeavesAWholeBundleOrNone() throws IOException, InterruptedException {
    var random = new SplittableRandom(SEED);
    Path bundle = folder.resolve("m.bundle");
    for (int i = 0; i < 4; i++) {
      Process writer =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx256m",
                  "-cp",
                  System.getProperty("java.class.path"),
                  EndlessWriter.class.getName(),
                  bundle.toString())
              .redirectErrorStream(true)
              .start();
      assertEquals("ready", writer.inputReader().readLine(), "seed " + SEED);
      Thread.sleep(random.nextInt(200));
      writer.destroyForcibly().waitFor();
      if (Files.exists(bundle)) {
        assertEquals(
            SmallBundle.plan(),
            BundleReader.open(bundle).plan("step-1"),
            "seed " + SEED + ", kill " + i);
      }
    }
    BundleWriter.write(bundle, SmallBundle.contents());
    try (var files = Files.list(folder)) {
      assertEquals(List.of(bundle), files.toList());
    }
  }
}
