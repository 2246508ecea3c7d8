package dev.heddle.codegen.jvm;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.FieldSpec;
import com.palantir.javapoet.JavaFile;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.plan.abi.JvmKernel;
import dev.heddle.ir.plan.abi.Memory;
import dev.heddle.ir.plan.abi.Scratch;
import dev.heddle.ir.plan.abi.StepHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Builds one kernel class. A rendered body is cut at lines {@code //@ SIGNATURE}: {@code //@ run}
 * is the kernel's entry, others are static methods such as {@code //@ float dot(float[] x, int
 * at)}.
 */
final class KernelClass {
  static final String PACKAGE = "dev.heddle.generated";

  private static final Pattern METHOD =
      Pattern.compile("(?m)^//@ (?:(run)|(\\w+) (\\w+)\\((.*)\\))$");
  private static final Map<String, TypeName> TYPES =
      Map.ofEntries(
          Map.entry("void", TypeName.VOID),
          Map.entry("int", TypeName.INT),
          Map.entry("long", TypeName.LONG),
          Map.entry("float", TypeName.FLOAT),
          Map.entry("double", TypeName.DOUBLE),
          Map.entry("boolean", TypeName.BOOLEAN),
          Map.entry("float[]", com.palantir.javapoet.ArrayTypeName.of(TypeName.FLOAT)),
          Map.entry("short[]", com.palantir.javapoet.ArrayTypeName.of(TypeName.SHORT)),
          Map.entry("byte[]", com.palantir.javapoet.ArrayTypeName.of(TypeName.BYTE)),
          Map.entry("int[]", com.palantir.javapoet.ArrayTypeName.of(TypeName.INT)),
          Map.entry("StepHeader", ClassName.get(StepHeader.class)),
          Map.entry("Scratch", ClassName.get(Scratch.class)));

  private KernelClass() {}

  /** Source of the class with this simple name. */
  static KernelSource build(
      String name, String header, Map<String, Object> constants, VectorText vector, String body) {
    var type =
        TypeSpec.classBuilder(name)
            .addModifiers(Modifier.PUBLIC, Modifier.FINAL)
            .addSuperinterface(JvmKernel.class)
            .addJavadoc("$L", header)
            .addField(
                constant(
                    ClassName.get(MemorySegment.class),
                    "ALL",
                    CodeBlock.of("$T.ALL", Memory.class)))
            .addField(
                constant(
                    ClassName.get(ByteOrder.class),
                    "LE",
                    CodeBlock.of("$T.LITTLE_ENDIAN", ByteOrder.class)));
    species(type, "F", FloatVector.class, Float.class, vector.species());
    species(type, "I", IntVector.class, Integer.class, vector.species());
    species(type, "H", ShortVector.class, Short.class, vector.shortSpecies());
    species(type, "B", ByteVector.class, Byte.class, vector.byteSpecies());
    if (body.contains("NS")) {
      species(type, "NF", FloatVector.class, Float.class, "SPECIES_" + vector.narrowBits());
      species(type, "NS", ShortVector.class, Short.class, "SPECIES_" + vector.narrowBits());
      species(type, "NB", ByteVector.class, Byte.class, "SPECIES_" + vector.narrowByteBits());
      var mask = ParameterizedTypeName.get(VectorMask.class, Float.class);
      type.addField(
          constant(mask, "UPPER", CodeBlock.of("$T.fromLong(NF, 0xf0)", VectorMask.class)));
    }
    if (body.contains("(NI,")) {
      species(type, "NI", IntVector.class, Integer.class, "SPECIES_" + vector.narrowBits());
    }
    if (body.contains("DOUBLED")) {
      // MXFP4's values times two: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives
      type.addField(
          constant(
              ClassName.get(ByteVector.class),
              "DOUBLED",
              CodeBlock.of(
                  "$T.fromArray($T.SPECIES_128, new byte[] {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}, 0)",
                  ByteVector.class,
                  ByteVector.class)));
    }
    constants.forEach((constant, value) -> type.addField(constant(constant, value)));
    var matcher = METHOD.matcher(body);
    if (!matcher.find() || !body.substring(0, matcher.start()).isBlank()) {
      throw new HeddleBug("the body of kernel " + name + " does not begin with a method line");
    }
    for (boolean more = true; more; ) {
      var method =
          matcher.group(1) != null
              ? run()
              : helper(matcher.group(2), matcher.group(3), matcher.group(4));
      int from = matcher.end();
      more = matcher.find();
      type.addMethod(
          method
              .addCode(
                  "$L", body.substring(from, more ? matcher.start() : body.length()).strip() + "\n")
              .build());
    }
    var file =
        JavaFile.builder(PACKAGE, type.build())
            .addStaticImport(VectorOperators.class, "*")
            .addStaticImport(ValueLayout.class, "*")
            .skipJavaLangImports(true)
            .indent("  ")
            .build();
    return new KernelSource(PACKAGE + "." + name, file.toString());
  }

  private static void species(
      TypeSpec.Builder type, String name, Class<?> vector, Class<?> element, String species) {
    type.addField(
        constant(
            ParameterizedTypeName.get(VectorSpecies.class, element),
            name,
            CodeBlock.of("$T.$L", vector, species)));
  }

  private static FieldSpec constant(String name, Object value) {
    return switch (value) {
      case Integer i -> constant(TypeName.INT, name, CodeBlock.of("$L", i));
      case Long l -> constant(TypeName.LONG, name, CodeBlock.of("$LL", l));
      case Float f -> constant(TypeName.FLOAT, name, CodeBlock.of("$L", text(f)));
      default ->
          throw new HeddleBug("a kernel constant cannot be a " + value.getClass().getSimpleName());
    };
  }

  private static String text(float value) {
    if (Float.isInfinite(value)) {
      return value > 0 ? "Float.POSITIVE_INFINITY" : "Float.NEGATIVE_INFINITY";
    }
    return Float.isNaN(value) ? "Float.NaN" : value + "f";
  }

  private static FieldSpec constant(TypeName type, String name, CodeBlock value) {
    return FieldSpec.builder(type, name, Modifier.PRIVATE, Modifier.STATIC, Modifier.FINAL)
        .initializer(value)
        .build();
  }

  private static MethodSpec.Builder run() {
    return MethodSpec.methodBuilder("run")
        .addAnnotation(Override.class)
        .addModifiers(Modifier.PUBLIC)
        .addParameter(long[].class, "address")
        .addParameter(StepHeader.class, "header")
        .addParameter(Scratch.class, "scratch")
        .addParameter(int.class, "part")
        .addParameter(int.class, "parts");
  }

  private static MethodSpec.Builder helper(String returns, String name, String parameters) {
    var method =
        MethodSpec.methodBuilder(name)
            .addModifiers(Modifier.PRIVATE, Modifier.STATIC)
            .returns(type(returns));
    for (String parameter : parameters.split(", ")) {
      String[] words = parameter.split(" ");
      method.addParameter(type(words[0]), words[1]);
    }
    return method;
  }

  private static TypeName type(String name) {
    var type = TYPES.get(name);
    if (type == null) {
      throw new HeddleBug("a kernel method cannot have type " + name);
    }
    return type;
  }
}
