package dev.heddle.runtime;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.incubator.vector.FloatVector;

/** What this machine has. */
public final class Devices {
  private Devices() {}

  /**
   * The JVM device.
   *
   * @param cpu the processor's name, or its architecture where the system does not tell
   * @param cpus processors that this process may use
   * @param vectorBits width of the widest vectors that the Vector API prefers here
   * @param totalMemory bytes that this process may use (a container's limit counts)
   * @param freeMemory bytes that are free now, caches that the system can drop included
   * @param java the Java version
   */
  public record Jvm(
      String cpu, int cpus, int vectorBits, long totalMemory, long freeMemory, String java) {}

  /** Describes the JVM device. */
  public static Jvm describe() {
    long total = system().getTotalMemorySize();
    return new Jvm(
        cpuName(),
        Runtime.getRuntime().availableProcessors(),
        vectorBits(),
        total,
        freeMemory(total),
        Runtime.version().toString());
  }

  /** Width in bits of the vectors that generated code uses on this machine. */
  public static int vectorBits() {
    return FloatVector.SPECIES_PREFERRED.vectorBitSize();
  }

  /** Bytes that can be allocated now. */
  static long freeMemory() {
    return freeMemory(system().getTotalMemorySize());
  }

  private static long freeMemory(long total) {
    // Linux: "free" leaves out the page cache, MemAvailable is the system's own estimate. A
    // container's limit lowers it.
    for (String line : lines("/proc/meminfo")) {
      if (line.startsWith("MemAvailable:")) {
        return Math.min(total, Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024);
      }
    }
    return Math.min(total, system().getFreeMemorySize());
  }

  private static String cpuName() {
    for (String line : lines("/proc/cpuinfo")) {
      if (line.startsWith("model name")) {
        return line.substring(line.indexOf(':') + 1).strip();
      }
    }
    return System.getProperty("os.arch");
  }

  private static List<String> lines(String file) {
    Path path = Path.of(file);
    if (!Files.isReadable(path)) {
      return List.of();
    }
    try {
      return Files.readAllLines(path);
    } catch (IOException e) {
      // Only a description: the caller has a weaker source for each fact.
      return List.of();
    }
  }

  private static OperatingSystemMXBean system() {
    return (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  }
}
