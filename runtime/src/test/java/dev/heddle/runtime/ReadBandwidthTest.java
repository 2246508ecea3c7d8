package dev.heddle.runtime;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ReadBandwidthTest {
  @Test
  void readingTakesTime() {
    try (var team = new Team(2)) {
      double rate = ReadBandwidth.measure(team, 8 << 20, 3);
      assertTrue(rate > 1e8 && rate < 1e13, rate + " bytes a second");
    }
  }

  @Test
  void machineIsDescribed() {
    Devices.Jvm jvm = Devices.describe();
    assertTrue(jvm.cpus() >= 1 && jvm.vectorBits() >= 64 && !jvm.cpu().isEmpty(), jvm.toString());
    assertTrue(jvm.freeMemory() > 0 && jvm.freeMemory() <= jvm.totalMemory(), jvm.toString());
  }
}
