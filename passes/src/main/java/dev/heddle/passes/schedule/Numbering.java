package dev.heddle.passes.schedule;

import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.RopeTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Numbers kernels and rope tables of a bundle in the order of their first use; equal ones get one
 * number.
 */
final class Numbering {
  private final Map<KernelKind, Integer> kernels = new LinkedHashMap<>();
  private final Map<RopeTable, Integer> tables = new LinkedHashMap<>();

  int of(KernelKind kind) {
    return kernels.computeIfAbsent(kind, k -> kernels.size());
  }

  int of(RopeTable table) {
    return tables.computeIfAbsent(table, t -> tables.size());
  }

  List<KernelKind> kernels() {
    return new ArrayList<>(kernels.keySet());
  }

  List<RopeTable> tables() {
    return new ArrayList<>(tables.keySet());
  }
}
