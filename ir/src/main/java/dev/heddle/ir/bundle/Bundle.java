package dev.heddle.ir.bundle;

import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.PlanKey;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * An opened bundle. Its entries are checked; plans are parsed when they are asked for. Immutable.
 */
public final class Bundle {
  private final String name;
  private final Manifest manifest;
  private final Map<String, byte[]> entries;

  Bundle(String name, Manifest manifest, Map<String, byte[]> entries) {
    this.name = name;
    this.manifest = manifest;
    this.entries = entries;
  }

  /** A bundle that was never written to a file. */
  public static Bundle of(BundleContents contents) {
    return BundleReader.check(contents.manifest().model(), BundleWriter.entries(contents));
  }

  /** The file's name, or the model's for a bundle in memory. */
  public String name() {
    return name;
  }

  public Manifest manifest() {
    return manifest;
  }

  /** Text form of the graph. */
  public String graph() {
    return text(BundleWriter.GRAPH);
  }

  /** The fusion report, JSON. */
  public String report() {
    return text(BundleWriter.REPORT);
  }

  /** Parses a plan; {@code key} is one of the manifest's. */
  public Plan plan(String key) {
    return new RecordJson()
        .read(entry(BundleWriter.planEntry(key)), Plan.class, where(BundleWriter.planEntry(key)));
  }

  /** What a plan needs, without parsing it: its key and the bytes of its arena. */
  public PlanSize planSize(String key) {
    String entry = BundleWriter.planEntry(key);
    Map<String, Object> head =
        new RecordJson().readLeading(entry(entry), Plan.class, 2, where(entry));
    return new PlanSize((PlanKey) head.get("key"), (long) head.get("arenaBytes"));
  }

  /** A plan's key and arena size. */
  public record PlanSize(PlanKey key, long arenaBytes) {}

  /** The compiled kernel: a class file for the JVM. */
  public byte[] kernelBinary(String kernel) {
    return entry(BundleWriter.binaryEntry(kernel, manifest.target())).clone();
  }

  /** The generated source of a kernel. */
  public String kernelSource(String kernel) {
    return text(BundleWriter.sourceEntry(kernel, manifest.target()));
  }

  private String text(String entry) {
    return new String(entry(entry), StandardCharsets.UTF_8);
  }

  private byte[] entry(String entry) {
    byte[] bytes = entries.get(entry);
    if (bytes == null) {
      throw new BundleException(where(entry) + " is missing; compile the model again");
    }
    return bytes;
  }

  private String where(String entry) {
    return name + ", " + entry;
  }
}
