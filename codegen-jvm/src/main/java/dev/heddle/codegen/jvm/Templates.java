package dev.heddle.codegen.jvm;

import java.io.StringWriter;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.velocity.VelocityContext;
import org.apache.velocity.app.VelocityEngine;
import org.apache.velocity.runtime.RuntimeConstants;
import org.apache.velocity.runtime.resource.loader.ClasspathResourceLoader;

/** Renders kernel bodies. */
final class Templates {
  private static final String FOLDER = "dev/heddle/codegen/jvm/";

  private static final String LIBRARIES =
      Stream.of("arithmetic", "weights", "step", "unpacked", "int8", "prompt", "rows", "functions")
          .map(name -> FOLDER + "lib/" + name + ".vm")
          .collect(Collectors.joining(","));

  private final VelocityEngine engine = new VelocityEngine();

  Templates() {
    engine.setProperty(RuntimeConstants.RESOURCE_LOADERS, "class");
    engine.setProperty("resource.loader.class.class", ClasspathResourceLoader.class.getName());
    engine.setProperty(RuntimeConstants.RUNTIME_REFERENCES_STRICT, true);
    engine.setProperty(RuntimeConstants.VM_LIBRARY, LIBRARIES);
    engine.setProperty(RuntimeConstants.VM_PERM_INLINE_LOCAL, true);
    engine.init();
  }

  /** Text of {@code name}.vm under these variables. */
  String render(String name, Map<String, Object> variables) {
    var out = new StringWriter();
    engine
        .getTemplate(FOLDER + name + ".vm", "UTF-8")
        .merge(new VelocityContext(new HashMap<>(variables)), out);
    return out.toString();
  }
}
