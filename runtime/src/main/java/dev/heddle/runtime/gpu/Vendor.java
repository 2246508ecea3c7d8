package dev.heddle.runtime.gpu;

import java.util.List;

/** Whose driver: the two libraries have the same functions under other names. */
public enum Vendor {
  CUDA("cuda", "HEDDLE_CUDA_LIBRARY", List.of("libcuda.so.1", "nvcuda.dll"), "NVIDIA's driver"),
  HIP(
      "hip",
      "HEDDLE_HIP_LIBRARY",
      List.of("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so", "amdhip64_6.dll"),
      "AMD's ROCm 6 or newer");

  private final String text;
  private final String variable;
  private final List<String> libraries;
  private final String install;

  Vendor(String text, String variable, List<String> libraries, String install) {
    this.text = text;
    this.variable = variable;
    this.libraries = libraries;
    this.install = install;
  }

  /** The target's name, which begins the names of its devices: {@code cuda}. */
  public String text() {
    return text;
  }

  /**
   * The environment variable (and, in lower case with dots, the system property) that names another
   * library.
   */
  String variable() {
    return variable;
  }

  /** Names under which the driver's library is found, the first that loads. */
  List<String> libraries() {
    return libraries;
  }

  /** What to install when there is none. */
  String install() {
    return install;
  }
}
