package dev.heddle.cli;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** What to compile for, and how: the options of every command that computes. */
final class TargetOptions {
  @Option(names = "--target", paramLabel = "NAME", defaultValue = "jvm", description = "target: jvm (default: ${DEFAULT-VALUE})")
  String target;

  @Option(
      names = "--passes",
      paramLabel = "LIST",
      description = "none, all, or changes to the defaults: +name,-name (-int8-activations = the exact path)")
  String passes = "";

  @Option(names = "--kv", paramLabel = "TYPE", defaultValue = "f16", description = "type of the KV cache: f32, f16 or q8_0 (default: ${DEFAULT-VALUE})")
  String kv;

  @Option(names = "--ctx", paramLabel = "N", description = "positions in the context (default: what the work needs, at most the model's)")
  Integer context;

  @Option(names = "--threads", paramLabel = "N", description = "threads (default: all cores)")
  Integer threads;

  @Option(names = "--verify", description = "check the graph after every pass")
  boolean isVerified;

  @Option(names = "--dump", paramLabel = "DIR", description = "write the graph's text form after every pass there")
  Path dump;

  @Option(names = "--no-cache", description = "compile again, even if a compiled bundle is cached")
  boolean isUncached;
}
