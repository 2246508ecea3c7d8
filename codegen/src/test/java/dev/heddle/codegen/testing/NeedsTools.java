package dev.heddle.codegen.testing;

import dev.heddle.codegen.tool.Tool;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestTag;
import org.junit.platform.launcher.PostDiscoveryFilter;

/**
 * Leaves out tests tagged {@code needs-TOOL} where the tool is missing, with one line that says
 * what to install. With CI=true they run and fail: a gate must not pass for want of a compiler.
 */
public final class NeedsTools implements PostDiscoveryFilter {
  private static final String PREFIX = "needs-";

  private static final Map<String, String> INSTALL =
      Map.of(
          "g++", "apt install g++",
          "clang-19", "apt install clang-19 lld-19 llvm-19",
          "nvcc", "install the CUDA Toolkit 12.8 or newer, or set CUDA_HOME");

  private final Set<String> said = new HashSet<>();

  @Override
  public FilterResult apply(TestDescriptor test) {
    Optional<String> missing =
        "true".equals(System.getenv("CI"))
            ? Optional.empty()
            : tools(test).filter(NeedsTools::isMissing).findFirst();
    if (missing.isEmpty()) {
      return FilterResult.included("its tools are here");
    }
    String line =
        "not run: tests tagged needs-" + missing.get() + ": " + INSTALL.get(missing.get());
    if (said.add(missing.get())) {
      System.out.println(line);
    }
    return FilterResult.excluded(line);
  }

  private static Stream<String> tools(TestDescriptor test) {
    return test.getTags().stream()
        .map(TestTag::getName)
        .filter(tag -> tag.startsWith(PREFIX))
        .map(tag -> tag.substring(PREFIX.length()))
        .filter(INSTALL::containsKey);
  }

  private static boolean isMissing(String tool) {
    Map<String, String> environment = System.getenv();
    List<Path> home =
        Stream.ofNullable(environment.get("CUDA_HOME")).map(s -> Path.of(s, "bin")).toList();
    return Tool.find(environment, home, List.of(tool), List.of(Path.of("/usr/local/cuda/bin")))
        .isEmpty();
  }
}
