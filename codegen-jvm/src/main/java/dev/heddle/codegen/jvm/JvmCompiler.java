package dev.heddle.codegen.jvm;

import dev.heddle.ir.EnvironmentException;
import dev.heddle.ir.HeddleBug;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles generated kernels in this process: one compiler task for all of them, nothing on disk.
 */
public final class JvmCompiler {
  /** What the class files depend on besides their source; part of the compile cache's key. */
  public static final List<String> OPTIONS =
      List.of(
          "--add-modules",
          "jdk.incubator.vector",
          "-proc:none",
          "-g:none",
          "-XDuseUnsharedTable",
          "-Xlint:none");

  private JvmCompiler() {}

  /**
   * Class files by binary class name, in the order of the sources.
   *
   * @throws EnvironmentException if this Java runtime has no compiler
   */
  public static Map<String, byte[]> compile(List<KernelSource> sources) {
    var compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) {
      throw new EnvironmentException(
          "This Java runtime has no compiler (module jdk.compiler): use a full JDK 25 or newer.");
    }
    var distinct = new LinkedHashMap<String, JavaFileObject>();
    sources.forEach(source -> distinct.putIfAbsent(source.className(), new Unit(source)));
    if (distinct.isEmpty()) {
      return Map.of();
    }
    var errors = new DiagnosticCollector<JavaFileObject>();
    try (var files = new MemoryFiles(compiler.getStandardFileManager(errors, null, null))) {
      if (!compiler.getTask(null, files, errors, OPTIONS, null, distinct.values()).call()) {
        throw new HeddleBug(
            "a generated kernel does not compile: " + errors.getDiagnostics().getFirst());
      }
      var classes = new LinkedHashMap<String, byte[]>();
      files.classes.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
      return classes;
    } catch (IOException e) {
      throw new HeddleBug("the compiler's in-memory files failed to close", e);
    }
  }

  private static final class Unit extends SimpleJavaFileObject {
    private final String source;

    Unit(KernelSource kernel) {
      super(URI.create("memory:///" + kernel.className().replace('.', '/') + ".java"), Kind.SOURCE);
      source = kernel.source();
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return source;
    }
  }

  private static final class MemoryFiles
      extends ForwardingJavaFileManager<StandardJavaFileManager> {
    final Map<String, ByteArrayOutputStream> classes = new LinkedHashMap<>();

    MemoryFiles(StandardJavaFileManager base) {
      super(base);
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        JavaFileManager.Location location,
        String className,
        JavaFileObject.Kind kind,
        FileObject sibling) {
      return new SimpleJavaFileObject(URI.create("memory:///" + className + ".class"), kind) {
        @Override
        public OutputStream openOutputStream() {
          var out = new ByteArrayOutputStream();
          classes.put(className, out);
          return out;
        }
      };
    }
  }
}
