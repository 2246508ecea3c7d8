package dev.heddle.cli;

import dev.heddle.runtime.Devices;
import dev.heddle.runtime.ReadBandwidth;
import dev.heddle.runtime.Team;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the devices that a plan can run on, and what they can do. */
@Command(
    name = "devices",
    mixinStandardHelpOptions = true,
    description =
        "List the devices that a model can run on here, with their measured read bandwidth.")
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
   * @param cpu the processor's name
   * @param cores processor cores
   * @param vectorBits width of the preferred vectors
   * @param memoryBytes memory that this process may use
   * @param freeBytes of it free now
   * @param readBytesPerSecond measured with all cores
   */
  record Device(
      String device,
      String cpu,
      int cores,
      int vectorBits,
      long memoryBytes,
      long freeBytes,
      double readBytesPerSecond) {
    /** Bytes read for a measurement: no cache holds them. */
    private static final long MEASURED_BYTES = 192L << 20;

    static Device jvm() {
      Devices.Jvm jvm = Devices.describe();
      try (Team team = new Team(jvm.cpus())) {
        return new Device(
            "jvm:0",
            jvm.cpu(),
            jvm.cpus(),
            jvm.vectorBits(),
            jvm.totalMemory(),
            jvm.freeMemory(),
            ReadBandwidth.measure(team, MEASURED_BYTES, 4));
      }
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
            "%s  %s, %d cores, %d-bit vectors, %s memory (%s free), read bandwidth %.1f GB/s%n",
            terminal.bold(jvm.device()),
            jvm.cpu(),
            jvm.cores(),
            jvm.vectorBits(),
            Sizes.bytes(jvm.memoryBytes()),
            Sizes.bytes(jvm.freeBytes()),
            jvm.readBytesPerSecond() / 1e9);
  }
}
