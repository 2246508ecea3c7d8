package dev.heddle.tests;

import dev.heddle.compiler.CompileRequest;
import dev.heddle.compiler.Compiler;
import dev.heddle.gguf.GgufFile;
import dev.heddle.ir.DType;
import dev.heddle.ir.bundle.Bundle;
import dev.heddle.passes.Observer;
import dev.heddle.passes.PassSelection;
import dev.heddle.runtime.Devices;

/** Compiles as the command line does, with the verifier after every pass and no cache. */
final class Chain {
  private Chain() {}

  /** A file's bundle for this machine. */
  static Bundle compile(GgufFile file, String passes, String kv) {
    return compile(file, passes, kv, Devices.vectorBits());
  }

  /** A file's bundle with vectors of this width. */
  static Bundle compile(GgufFile file, String passes, String kv, int vectorBits) {
    CompileRequest request =
        CompileRequest.jvm(vectorBits, "test")
            .withPasses(PassSelection.parse(passes))
            .withKv(DType.ofText(kv).orElseThrow())
            .withObserver(Observer.verifying());
    return Bundle.of(Compiler.compile(Compiler.graph(file, request), request));
  }
}
