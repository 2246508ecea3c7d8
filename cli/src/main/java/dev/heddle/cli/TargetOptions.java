package dev.heddle.cli;

import dev.heddle.compiler.CompileRequest;
import dev.heddle.ir.DType;
import dev.heddle.passes.Observer;
import dev.heddle.passes.PassSelection;
import dev.heddle.runtime.Devices;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What to compile for, and how: the options of every command that computes. */
final class TargetOptions {
  @Option(
      names = "--target",
      paramLabel = "NAME",
      defaultValue = "jvm",
      description = "target: jvm (default: ${DEFAULT-VALUE})")
  String target = "jvm";

  @Option(
      names = "--arch",
      paramLabel = "NAME",
      description =
          "jvm-128, jvm-256 or jvm-512: width of vectors (default: this machine's); results have the same bits")
  String arch;

  @Option(
      names = "--passes",
      paramLabel = "LIST",
      description =
          "none, all, or changes to the defaults: +name,-name (-int8-activations = the exact path)")
  String passes = "";

  @Option(
      names = "--kv",
      paramLabel = "TYPE",
      defaultValue = "f16",
      description = "type of the KV cache: f32, f16 or q8_0 (default: ${DEFAULT-VALUE})")
  String kv = "f16";

  @Option(
      names = "--ctx",
      paramLabel = "N",
      description =
          "positions in the context (default: what the work needs, at most what the model was trained for)")
  Integer context;

  @Option(names = "--threads", paramLabel = "N", description = "threads (default: all cores)")
  Integer threads;

  @Option(names = "--verify", description = "check the graph after every pass")
  boolean isVerified;

  @Option(
      names = "--dump",
      paramLabel = "DIR",
      description = "write the graph's text form after every pass there")
  Path dump;

  @Option(names = "--no-cache", description = "compile again, even if a compiled bundle is cached")
  boolean isUncached;

  /** The type of --kv. */
  DType kv() {
    return switch (kv.toLowerCase(java.util.Locale.ROOT)) {
      case "f32" -> DType.F32;
      case "f16" -> DType.F16;
      case "q8_0" -> DType.Q8_0;
      default -> throw new UsageException("--kv takes f32, f16 or q8_0, not '" + kv + "'");
    };
  }

  /** These options as a request. */
  CompileRequest request() {
    if (!target.equals("jvm")) {
      throw new UsageException("there is no target '" + target + "': the target so far is jvm");
    }
    PassSelection selection;
    try {
      selection = PassSelection.parse(passes);
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
    return CompileRequest.jvm(vectorBits(), Version.HEDDLE)
        .withPasses(selection)
        .withKv(kv())
        .withObserver(new Observer(isVerified, Optional.ofNullable(dump)));
  }

  private int vectorBits() {
    if (arch == null) {
      return Math.clamp(Devices.vectorBits(), 128, 512);
    }
    return switch (arch) {
      case "jvm-128" -> 128;
      case "jvm-256" -> 256;
      case "jvm-512" -> 512;
      default ->
          throw new UsageException("--arch takes jvm-128, jvm-256 or jvm-512, not '" + arch + "'");
    };
  }
}
