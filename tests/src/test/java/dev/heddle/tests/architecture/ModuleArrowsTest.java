package dev.heddle.tests.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The dependency arrows between modules, and rules over all compiled classes. */
class ModuleArrowsTest {
  /** Which module may use which, directly; what those may use is added. */
  private static final Map<String, List<String>> MAY_USE =
      Map.ofEntries(
          Map.entry("ir", List.of()),
          Map.entry("gguf", List.of("ir")),
          Map.entry("model-specs", List.of()),
          Map.entry("passes", List.of("ir")),
          Map.entry("codegen", List.of("ir")),
          Map.entry("codegen-jvm", List.of("codegen")),
          Map.entry("codegen-cuda", List.of("codegen")),
          Map.entry("codegen-hip", List.of("codegen")),
          Map.entry(
              "compiler", List.of("ir", "gguf", "passes", "codegen", "codegen-jvm", "model-specs")),
          Map.entry("runtime", List.of("ir", "gguf")),
          Map.entry("text", List.of("gguf")),
          Map.entry("cli", List.of("compiler", "runtime", "text")));

  private static final Map<String, String> PACKAGE =
      Map.of(
          "model-specs",
          "dev.heddle.specs",
          "codegen-jvm",
          "dev.heddle.codegen.jvm",
          "codegen-cuda",
          "dev.heddle.codegen.cuda",
          "codegen-hip",
          "dev.heddle.codegen.hip");

  /**
   * A class lies in {@code MODULE/target/classes} or in {@code MODULE/target/heddle-MODULE.jar}.
   */
  private static final Pattern PLACE = Pattern.compile("/([a-z-]+)/target/");

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.heddle");

  @Test
  void everyModuleUsesOnlyWhatItMay() {
    Set<String> wrong = new TreeSet<>();
    for (JavaClass from : CLASSES) {
      String module = moduleOf(from).orElseThrow();
      for (Dependency dependency : from.getDirectDependenciesFromSelf()) {
        moduleOf(dependency.getTargetClass().getBaseComponentType())
            .filter(target -> !target.equals(module) && !allowed(module).contains(target))
            .ifPresent(target ->
                wrong.add(module + " must not use " + target + ": " + dependency.getDescription()));
      }
    }
    assertEquals(Set.of(), wrong);
  }

  @Test
  void everyModuleOfTheTableHasClasses() {
    Set<String> found = new TreeSet<>();
    CLASSES.forEach(c -> found.add(moduleOf(c).orElseThrow()));
    assertEquals(new TreeSet<>(MAY_USE.keySet()), found);
  }

  @Test
  void packagesLieUnderTheirModulesName() {
    for (JavaClass c : CLASSES) {
      String module = moduleOf(c).orElseThrow();
      String root = PACKAGE.getOrDefault(module, "dev.heddle." + module);
      String name = c.getPackageName();
      boolean isInside = name.equals(root) || name.startsWith(root + ".");
      boolean isInAnother =
          module.equals("codegen") && name.matches("dev\\.heddle\\.codegen\\.(jvm|cuda|hip)\\b.*");
      assertEquals(
          true, isInside && !isInAnother, c.getName() + " of " + module + " lies outside " + root);
    }
  }

  @Test
  void noStaticStateChanges() {
    Set<String> wrong = new TreeSet<>();
    for (JavaClass c : CLASSES) {
      for (JavaField field : c.getFields()) {
        Set<JavaModifier> modifiers = field.getModifiers();
        if (modifiers.contains(JavaModifier.STATIC)
            && !modifiers.contains(JavaModifier.FINAL)
            && !modifiers.contains(JavaModifier.SYNTHETIC)
            && !isGenerated(c)) {
          wrong.add(field.getFullName());
        }
      }
    }
    assertEquals(Set.of(), wrong);
  }

  @Test
  void noClassIsNamedAfterNothing() {
    for (JavaClass c : CLASSES) {
      for (String suffix : List.of("Manager", "Helper", "Helpers", "Util", "Utils")) {
        assertFalse(c.getSimpleName().endsWith(suffix), c.getName());
      }
    }
  }

  /** ANTLR's lexer and parser keep their tables in statics. */
  private static boolean isGenerated(JavaClass c) {
    return c.getAllRawSuperclasses().stream().anyMatch(s -> s.getName().startsWith("org.antlr."));
  }

  private static Set<String> allowed(String module) {
    Set<String> all = new TreeSet<>();
    Deque<String> open = new ArrayDeque<>(MAY_USE.get(module));
    while (!open.isEmpty()) {
      String next = open.pop();
      if (all.add(next)) {
        open.addAll(MAY_USE.get(next));
      }
    }
    return all;
  }

  private static Optional<String> moduleOf(JavaClass c) {
    if (!c.getPackageName().startsWith("dev.heddle")) {
      return Optional.empty();
    }
    return c.getSource()
        .map(source -> PLACE.matcher(source.getUri().toString()))
        .filter(Matcher::find)
        .map(matcher -> matcher.group(1));
  }
}
