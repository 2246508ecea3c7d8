package dev.heddle.ir.bundle;

import java.nio.file.Path;

/** Writes one bundle again and again until it is killed. */
public final class EndlessWriter {
  private EndlessWriter() {}

  public static void main(String[] args) {
    BundleContents small = SmallBundle.contents();
    // Large enough that most of the time is spent writing.
    String report = "{\"padding\":\"" + "x".repeat(4 << 20) + "\"}";
    var contents =
        new BundleContents(small.manifest(), small.graph(), small.plans(), small.kernels(), report);
    System.out.println("ready");
    while (true) {
      BundleWriter.write(Path.of(args[0]), contents);
    }
  }
}
