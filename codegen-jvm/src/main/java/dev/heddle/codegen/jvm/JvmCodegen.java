package dev.heddle.codegen.jvm;

import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.plan.KernelKind;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;

/** Kernel kinds to Java sources. */
public final class JvmCodegen {
  private JvmCodegen() {}

  /**
   * One class a kind, in the order of {@code kinds}; equal kinds give equal sources under one name.
   * A class name is readable and ends in a hash of the source.
   *
   * @param vectorBits 128, 256 or 512: the species of the code; results have the same bits for all
   *     three
   */
  public static List<KernelSource> generate(List<KernelKind> kinds, int vectorBits) {
    var vector = new VectorText(vectorBits);
    var templates = new Templates();
    return kinds.stream().map(kind -> generate(kind, vector, templates)).toList();
  }

  private static KernelSource generate(KernelKind kind, VectorText vector, Templates templates) {
    var body = KernelBody.of(kind, vector);
    var variables = new HashMap<>(body.variables());
    variables.put("v", vector);
    body.constants().forEach((name, value) -> variables.putIfAbsent(name, value));
    String text = templates.render(body.template(), variables);
    String header = kind + "\n\nVectors of " + vector.bits() + " bits.";
    String probe = KernelClass.build("Kernel", header, body.constants(), vector, text).source();
    return KernelClass.build(
        body.name() + "_" + hash(probe), header, body.constants(), vector, text);
  }

  private static String hash(String source) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(source.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, 5);
    } catch (NoSuchAlgorithmException e) {
      throw new HeddleBug("every Java runtime has SHA-256", e);
    }
  }
}
