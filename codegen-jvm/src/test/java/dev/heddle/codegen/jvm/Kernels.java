package dev.heddle.codegen.jvm;

import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.abi.JvmKernel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Generates, compiles and loads kernels for tests and benchmarks. */
final class Kernels extends ClassLoader {
  private final Map<String, byte[]> classes;

  private Kernels(Map<String, byte[]> classes) {
    super(Kernels.class.getClassLoader());
    this.classes = classes;
  }

  /** One kernel a kind, in order. */
  static List<JvmKernel> load(List<KernelKind> kinds, int vectorBits) {
    var sources = JvmCodegen.generate(kinds, vectorBits);
    var loader = new Kernels(JvmCompiler.compile(sources));
    var kernels = new ArrayList<JvmKernel>();
    for (var source : sources) {
      try {
        kernels.add(
            (JvmKernel) loader.loadClass(source.className()).getConstructor().newInstance());
      } catch (ReflectiveOperationException e) {
        throw new AssertionError(source.source(), e);
      }
    }
    return kernels;
  }

  static JvmKernel load(KernelKind kind, int vectorBits) {
    return load(List.of(kind), vectorBits).getFirst();
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    byte[] bytes = classes.get(name);
    if (bytes == null) {
      throw new ClassNotFoundException(name);
    }
    return defineClass(name, bytes, 0, bytes.length);
  }
}
