package dev.heddle.compiler.spec;

import dev.heddle.ir.DType;
import dev.heddle.ir.Graph;
import dev.heddle.ir.Op;
import dev.heddle.specs.BuiltinSpecs;
import java.util.List;
import java.util.stream.Stream;

/** Built-in specs with a small config appended, and questions that tests ask of graphs. */
final class TestSpecs {
  /** A config of two layers for each family, "tiny"; of llama also a mixture, "tiny-moe". */
  static final String LLAMA =
      """

      config "tiny" { L=2 E=32 H=4 Hkv=2 F=64 V=96 eps=1e-5 base=5e5 ctx=256 tied with rope_freqs(llama3, factor=8) with qb }
      config "tiny-moe" { L=2 E=32 H=4 Hkv=2 F=64 N=8 K=2 V=96 eps=1e-5 ctx=256 with ge }
      """;

  static final String QWEN3 =
      "\nconfig \"tiny\" { L=2 E=32 H=4 Hkv=2 D=16 F=64 V=96 eps=1e-6 base=1e6 ctx=256 }\n";
  static final String QWEN3MOE =
      "\nconfig \"tiny\" { L=2 E=32 H=4 Hkv=2 D=16 N=8 K=2 F=64 Fx=16 V=96 eps=1e-6 base=1e6 ctx=256 }\n";

  private TestSpecs() {}

  static Spec spec(String name) {
    String extra =
        switch (name) {
          case "llama" -> LLAMA;
          case "qwen3" -> QWEN3;
          default -> QWEN3MOE;
        };
    return SpecParser.parse(BuiltinSpecs.fileName(name), BuiltinSpecs.text(name) + extra);
  }

  static ModelGraph compile(Spec spec, String config) {
    return SpecCompiler.compile(
        spec, config, TypeRecipe.uniform(DType.Q8_0), CompileOptions.DEFAULT);
  }

  static <T extends Op> List<T> ops(Graph graph, Class<T> type) {
    return graph.nodes().stream()
        .flatMap(n -> type.isInstance(n.op()) ? Stream.of(type.cast(n.op())) : Stream.empty())
        .toList();
  }

  /** The message of the fault that compiling this file gives. */
  static String fault(Spec spec, ModelFacts file) {
    try {
      SpecCompiler.compile(spec, file, CompileOptions.DEFAULT);
    } catch (SpecException e) {
      return e.getMessage();
    }
    return "no fault";
  }
}
