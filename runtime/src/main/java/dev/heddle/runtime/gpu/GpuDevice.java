package dev.heddle.runtime.gpu;

import dev.heddle.ir.EnvironmentException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An opened device. A driver's device is a property of the thread: every thread says {@link #use}
 * before it works with the device's queues.
 */
public final class GpuDevice implements AutoCloseable {
  /** Numbers of attributes in cuda.h. */
  private static final int CAPABILITY_MAJOR = 75;

  private static final int CAPABILITY_MINOR = 76;

  /** More than hipDeviceProp_t of ROCm 6 and 7, about 1.5 KiB. */
  private static final int PROPERTIES_BYTES = 8192;

  private static final Pattern GFX = Pattern.compile("gfx[0-9a-f]{3,4}");

  private final Driver driver;
  private final int ordinal;
  private final Facts facts;
  private final long context;

  /**
   * What a device is.
   *
   * @param device its name for {@code --device}: {@code cuda:0}
   * @param name the chip's or the card's name
   * @param arch what code for it is compiled for: {@code sm_90}, {@code gfx1201}
   * @param totalMemory bytes
   * @param driver the driver's version number
   */
  public record Facts(String device, String name, String arch, long totalMemory, int driver) {}

  private GpuDevice(Driver driver, int ordinal, Facts facts) {
    this.driver = driver;
    this.ordinal = ordinal;
    this.facts = facts;
    context = driver.vendor() == Vendor.CUDA ? driver.context(ordinal) : 0;
  }

  /**
   * What a device is, without opening it.
   *
   * @throws EnvironmentException if there is no such device
   */
  public static Facts describe(Driver driver, int ordinal) {
    int count = driver.devices();
    String device = driver.vendor().text() + ":" + ordinal;
    if (ordinal < 0 || ordinal >= count) {
      throw new EnvironmentException(
          "there is no device "
              + device
              + ": the "
              + driver.vendor().text()
              + " driver has "
              + (count == 0
                  ? "no device"
                  : count == 1
                      ? "one, " + driver.vendor().text() + ":0"
                      : count + ", numbered from 0")
              + "; heddle devices lists them");
    }
    return new Facts(
        device,
        driver.name(ordinal),
        arch(driver, ordinal),
        driver.totalMemory(ordinal),
        driver.version());
  }

  /** Opens a device of a driver. */
  public static GpuDevice open(Driver driver, int ordinal) {
    return new GpuDevice(driver, ordinal, describe(driver, ordinal));
  }

  private static String arch(Driver driver, int ordinal) {
    return switch (driver.vendor()) {
      case CUDA ->
          "sm_"
              + driver.attribute(ordinal, CAPABILITY_MAJOR)
              + driver.attribute(ordinal, CAPABILITY_MINOR);
      case HIP -> {
        try (Arena arena = Arena.ofConfined()) {
          MemorySegment properties = arena.allocate(PROPERTIES_BYTES, 64);
          driver.properties(properties, ordinal);
          yield gfx(properties.toArray(ValueLayout.JAVA_BYTE));
        }
      }
    };
  }

  /**
   * The name of the architecture stands as text in the properties, at an offset that differs
   * between ROCm versions.
   */
  private static String gfx(byte[] properties) {
    Matcher matcher = GFX.matcher(new String(properties, StandardCharsets.ISO_8859_1));
    if (!matcher.find()) {
      throw new EnvironmentException(
          "the hip driver does not tell the device's architecture: install AMD's ROCm 6 or newer");
    }
    return matcher.group();
  }

  public Facts facts() {
    return facts;
  }

  /** Makes the device this thread's. */
  public void use() {
    switch (driver.vendor()) {
      case CUDA -> driver.useContext(context);
      case HIP -> driver.useDevice(ordinal);
    }
  }

  /** Bytes that are free now. */
  public long freeMemory() {
    return driver.freeMemory();
  }

  /** A new stream, with what is allocated through it. */
  public GpuQueue queue() {
    use();
    return new GpuQueue(driver);
  }

  /** Leaves the device; its queues are closed before. */
  @Override
  public void close() {
    if (driver.vendor() == Vendor.CUDA) {
      driver.releaseContext(ordinal);
    }
  }
}
