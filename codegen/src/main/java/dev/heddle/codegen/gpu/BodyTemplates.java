package dev.heddle.codegen.gpu;

import java.io.StringWriter;
import java.util.HashMap;
import java.util.Map;
import org.apache.velocity.VelocityContext;
import org.apache.velocity.app.VelocityEngine;
import org.apache.velocity.runtime.RuntimeConstants;
import org.apache.velocity.runtime.resource.loader.ClasspathResourceLoader;

/** Renders kernel bodies. */
final class BodyTemplates {
  private static final String FOLDER = "dev/heddle/codegen/gpu/";

  private final VelocityEngine engine = new VelocityEngine();

  BodyTemplates() {
    engine.setProperty(RuntimeConstants.RESOURCE_LOADERS, "class");
    engine.setProperty("resource.loader.class.class", ClasspathResourceLoader.class.getName());
    engine.setProperty(RuntimeConstants.RUNTIME_REFERENCES_STRICT, true);
    engine.setProperty(RuntimeConstants.VM_LIBRARY, FOLDER + "load.vm");
    engine.init();
  }

  /** Text of {@code body/NAME.vm} under these variables, without empty lines. */
  String render(String name, Map<String, Object> variables) {
    var out = new StringWriter();
    engine
        .getTemplate(FOLDER + "body/" + name + ".vm", "UTF-8")
        .merge(new VelocityContext(new HashMap<>(variables)), out);
    return out.toString().replaceAll("(?m)^[ \t]*\n", "");
  }
}
