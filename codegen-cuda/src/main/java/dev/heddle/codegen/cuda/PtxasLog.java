package dev.heddle.codegen.cuda;

import dev.heddle.ir.plan.Resources;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads what {@code ptxas -v} says of each kernel. Its order is not the source's. */
final class PtxasLog {
  private static final Pattern ENTRY = Pattern.compile("Compiling entry function '(\\w+)'");
  private static final Pattern SPILLS =
      Pattern.compile("(\\d+) bytes spill stores, (\\d+) bytes spill loads");
  private static final Pattern REGISTERS = Pattern.compile("Used (\\d+) registers");
  private static final Pattern SHARED = Pattern.compile("(\\d+) bytes smem");

  private PtxasLog() {}

  static Map<String, Resources> resources(String log, String note) {
    Map<String, Resources> resources = new TreeMap<>();
    String name = "";
    int spill = -1;
    for (String line : log.lines().toList()) {
      Matcher entry = ENTRY.matcher(line);
      if (entry.find()) {
        name = entry.group(1);
        spill = -1;
      }
      spill = number(SPILLS, line, spill);
      int registers = number(REGISTERS, line, -1);
      if (registers >= 0 && !name.isEmpty()) {
        resources.put(name, new Resources(registers, spill, number(SHARED, line, 0), note));
        name = ""; // what follows until the next entry is of no kernel
      }
    }
    return resources;
  }

  private static int number(Pattern pattern, String line, int otherwise) {
    Matcher matcher = pattern.matcher(line);
    return matcher.find() ? Integer.parseInt(matcher.group(1)) : otherwise;
  }
}
