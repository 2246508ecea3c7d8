package dev.heddle.compiler;

import java.util.List;
import java.util.Locale;

/** A report as lines of text: a word, then what it says. */
final class ReportText {
  /** Copies named in full; the JSON form has all. */
  private static final int SHOWN_COPIES = 12;

  private final StringBuilder text = new StringBuilder();

  private ReportText() {}

  static String of(Report report) {
    ReportText page = new ReportText();
    page.line(
        "model", report.model() + " · " + report.config() + " · " + report.layers() + " layers");
    page.line("graph", report.nodesBefore() + " nodes -> " + report.nodesAfter());
    page.line("passes", String.join(", ", report.passes()));
    page.launches(report);
    page.kernels(report.kernels());
    report
        .weights()
        .forEach(w ->
            page.line("weights", w.type() + "  " + w.tensors() + " tensors  " + bytes(w.bytes())));
    page.copies(report.copies());
    page.line("memory", "KV " + bytes(report.kvBytesPerToken()) + " a token");
    report
        .arenas()
        .forEach(a -> page.line("", "step buffers of " + a.plan() + "  " + bytes(a.bytes())));
    report.arithmetic().forEach(sentence -> page.line("arithmetic", sentence));
    if (report.arithmetic().isEmpty()) {
      page.line("arithmetic", "nothing changes results: the exact path");
    }
    report.warnings().forEach(sentence -> page.line("warning", sentence));
    return page.text.toString();
  }

  private void launches(Report report) {
    for (Report.Layers layers : report.launchesPerLayer()) {
      String which =
          layers.first() == layers.last()
              ? "layer " + layers.first()
              : "layers " + layers.first() + " .. " + layers.last();
      line("launches", which + "  " + layers.launches() + " each");
    }
    line("", "once a step  " + report.launchesOnceAStep() + ", in all " + report.launches());
  }

  private void kernels(List<Report.Kernels> kernels) {
    for (Report.Kernels kind : kernels) {
      String variants = kind.variants() == 1 ? "1 kernel" : kind.variants() + " kernels";
      line(
          "kernels",
          String.format("%-16s %5d launches, %s", kind.kind(), kind.launches(), variants));
    }
  }

  private void copies(List<Report.Copy> copies) {
    long all = copies.stream().mapToLong(Report.Copy::bytes).sum();
    if (!copies.isEmpty()) {
      line("copies", copies.size() + " tensors are dequantised when loaded, " + bytes(all));
    }
    for (Report.Copy copy : copies.subList(0, Math.min(SHOWN_COPIES, copies.size()))) {
      line(
          "",
          copy.tensor()
              + "  "
              + copy.stored()
              + " -> "
              + copy.loaded()
              + "  "
              + bytes(copy.bytes()));
    }
    if (copies.size() > SHOWN_COPIES) {
      line("", "and " + (copies.size() - SHOWN_COPIES) + " more (--json lists all)");
    }
  }

  private void line(String word, String what) {
    text.append(String.format("%-11s", word)).append(what).append('\n');
  }

  /** Decimal units, as files and memory are sold. */
  private static String bytes(long bytes) {
    if (bytes < 10_000) {
      return bytes + " B";
    }
    double value = bytes;
    for (String unit : List.of("kB", "MB", "GB")) {
      value /= 1000;
      if (value < 1000 || unit.equals("GB")) {
        return String.format(Locale.ROOT, value < 10 ? "%.2f %s" : "%.1f %s", value, unit);
      }
    }
    return bytes + " B";
  }
}
