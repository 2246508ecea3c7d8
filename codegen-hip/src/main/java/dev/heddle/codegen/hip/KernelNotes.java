package dev.heddle.codegen.hip;

import dev.heddle.ir.plan.Resources;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the metadata of a code object, as {@code llvm-readelf --notes} prints it: YAML, one list
 * entry under amdhsa.kernels a kernel.
 */
final class KernelNotes {
  /** A kernel's entry begins at two spaces and a dash, its fields at four; arguments are deeper. */
  private static final Pattern FIELD = Pattern.compile("(?:    |  - )\\.(\\w+): +(\\S+)");

  private static final String BYTES_OF_SCRATCH = "private_segment_fixed_size";

  private KernelNotes() {}

  static Map<String, Resources> resources(String notes) {
    Map<String, Resources> resources = new TreeMap<>();
    Map<String, String> fields = new HashMap<>();
    for (String line : notes.lines().toList()) {
      if (line.startsWith("  - ")) {
        add(fields, resources);
        fields.clear();
      }
      Matcher field = FIELD.matcher(line);
      if (field.lookingAt()) {
        fields.put(field.group(1), field.group(2));
      }
    }
    add(fields, resources);
    return resources;
  }

  /**
   * Scratch memory holds what spills, and arrays that are indexed at run time: kernels must have
   * neither.
   */
  private static void add(Map<String, String> fields, Map<String, Resources> resources) {
    if (fields.containsKey("name") && fields.containsKey("vgpr_count")) {
      int scratch = number(fields, BYTES_OF_SCRATCH);
      int spilled = 4 * (number(fields, "vgpr_spill_count") + number(fields, "sgpr_spill_count"));
      String note = "scalar registers: " + fields.get("sgpr_count");
      int shared = number(fields, "group_segment_fixed_size");
      resources.put(
          fields.get("name"),
          new Resources(number(fields, "vgpr_count"), Math.max(scratch, spilled), shared, note));
    }
  }

  private static int number(Map<String, String> fields, String name) {
    return Integer.parseInt(fields.getOrDefault(name, "0"));
  }
}
