package dev.heddle.compiler;

import dev.heddle.codegen.jvm.JvmCodegen;
import dev.heddle.codegen.jvm.KernelSource;
import dev.heddle.compiler.spec.CompileOptions;
import dev.heddle.compiler.spec.GgufFacts;
import dev.heddle.compiler.spec.ModelGraph;
import dev.heddle.compiler.spec.Spec;
import dev.heddle.compiler.spec.SpecCompiler;
import dev.heddle.compiler.spec.SpecLibrary;
import dev.heddle.compiler.spec.TypeRecipe;
import dev.heddle.gguf.GgufFile;
import dev.heddle.ir.GraphText;
import dev.heddle.ir.bundle.BundleContents;
import dev.heddle.ir.bundle.Manifest;
import dev.heddle.ir.plan.Plan;
import dev.heddle.passes.Lowered;
import dev.heddle.passes.PassContext;
import dev.heddle.passes.Pipeline;
import java.util.List;
import java.util.Map;

/**
 * From a model to a bundle: spec to graph, graph to plans, kernel kinds to sources, sources to
 * binaries. Every stage takes the value of the one before; {@link #compile} is all of them.
 */
public final class Compiler {
  private Compiler() {}

  /**
   * A model's bundle.
   *
   * @throws dev.heddle.ir.GraphException if the target cannot compute the model
   * @throws dev.heddle.ir.EnvironmentException if a tool is missing
   */
  public static BundleContents compile(ModelGraph model, CompileRequest request) {
    Lowered lowered = lower(model, request);
    List<KernelSource> sources = sources(lowered, request);
    Map<String, byte[]> binaries = new KernelBinaries(request.cache()).of(sources);
    Manifest manifest = Manifests.of(model, lowered, sources, request);
    List<BundleContents.KernelFile> files =
        sources.stream()
            .distinct()
            .map(s ->
                new BundleContents.KernelFile(
                    s.className(), s.source(), binaries.get(s.className())))
            .toList();
    List<Plan> plans = List.copyOf(lowered.plans().values());
    return new BundleContents(
        manifest, GraphText.print(lowered.after()), plans, files, Report.of(model, lowered).json());
  }

  /** The graph of a GGUF file by the built-in spec of its architecture. */
  public static ModelGraph graph(GgufFile file, CompileRequest request) {
    return graph(SpecLibrary.require(file.metadata().architecture()), file, request);
  }

  /** The graph of a GGUF file by a spec. */
  public static ModelGraph graph(Spec spec, GgufFile file, CompileRequest request) {
    return SpecCompiler.compile(spec, new GgufFacts(file), options(request));
  }

  /** The graph of a spec's config, without any weights. */
  public static ModelGraph graph(
      Spec spec, String config, TypeRecipe types, CompileRequest request) {
    return SpecCompiler.compile(spec, config, types, options(request));
  }

  /** Passes and plans. */
  public static Lowered lower(ModelGraph model, CompileRequest request) {
    PassContext context = new PassContext(request.target(), request.captures(), request.keys());
    return Pipeline.run(model.main(), context, request.passes(), request.observer());
  }

  /** Source of every kernel, in the order of {@link Lowered#kernels()}. */
  public static List<KernelSource> sources(Lowered lowered, CompileRequest request) {
    return JvmCodegen.generate(lowered.kernels(), request.vectorBits());
  }

  private static CompileOptions options(CompileRequest request) {
    return CompileOptions.DEFAULT.withKv(request.kv()).withCaptures(request.captures());
  }
}
