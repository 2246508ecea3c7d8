package dev.heddle.cli;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import jdk.incubator.vector.FloatVector;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the devices that a plan can run on, and what they can do. */
@Command(
    name = "devices",
    mixinStandardHelpOptions = true,
    description = "List the devices that a model can run on here, with their measured read bandwidth.")
final class DevicesCommand implements Runnable {
  private final Terminal terminal;

  @Option(names = "--json", description = "print JSON")
  private boolean isJson;

  DevicesCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /**
   * A device.
   *
   * @param device its name for {@code --device}
   * @param cores processor cores
   * @param vectorBits width of the preferred vectors
   * @param memoryBytes physical memory of the machine
   * @param readBytesPerSecond measured with all cores
   */
  record Device(String device, int cores, int vectorBits, long memoryBytes, double readBytesPerSecond) {
    static Device jvm() {
      int cores = Runtime.getRuntime().availableProcessors();
      long memory =
          ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean os
              ? os.getTotalMemorySize()
              : 0;
      return new Device("jvm:0", cores, FloatVector.SPECIES_PREFERRED.vectorBitSize(), memory, Bandwidth.measure(cores));
    }
  }

  @Override
  public void run() {
    Device jvm = Device.jvm();
    if (isJson) {
      terminal.out().println(Json.pretty(Map.of("devices", List.of(jvm))));
      return;
    }
    terminal
        .out()
        .printf(
            "%s  %d cores, %d-bit vectors, %s memory, read bandwidth %.1f GB/s%n",
            terminal.bold(jvm.device()),
            jvm.cores(),
            jvm.vectorBits(),
            Sizes.bytes(jvm.memoryBytes()),
            jvm.readBytesPerSecond() / 1e9);
  }
}
