package dev.heddle.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SizesTest {
  @Test
  void bytesHaveThreeDigitsAndAUnit() {
    assertEquals("999 B", Sizes.bytes(999));
    assertEquals("1.00 kB", Sizes.bytes(1000));
    assertEquals("14.5 MB", Sizes.bytes(14_546_496));
    assertEquals("1.00 GB", Sizes.bytes(999_600_000));
  }

  @Test
  void longTimesAreSecondsAndShortOnesMilliseconds() {
    assertEquals("34 ms", Sizes.seconds(34_000_000));
    assertEquals("1.8 s", Sizes.seconds(1_800_000_000));
  }

  @Test
  void countsAreGrouped() {
    assertEquals("1 906", Sizes.count(1906));
  }
}
