package dev.heddle.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A report as a screen. */
final class ReportText {
  private final StringBuilder out = new StringBuilder();
  private final Terminal terminal;

  private ReportText(Terminal terminal) {
    this.terminal = terminal;
  }

  static String of(BundleReport report, Terminal terminal) {
    ReportText text = new ReportText(terminal);
    text.write(report);
    return text.out.toString();
  }

  private void write(BundleReport report) {
    line(
        "%s · %s · %s",
        terminal.bold(report.model()),
        report.config(),
        report.target().equals(report.arch())
            ? report.target()
            : report.target() + " " + report.arch());
    line(
        "weights    %s, of which a token reads %s",
        Sizes.bytes(report.weightBytes()), Sizes.bytes(report.readBytesPerToken()));
    line("KV cache   %s, %s a token", report.kv(), Sizes.bytes(report.kvBytesPerToken()));
    line("passes     %s", String.join(", ", report.passes()));
    line("");
    line(terminal.bold("launches for one token        launches  reads"));
    Map<List<Long>, List<Integer>> alike = new LinkedHashMap<>();
    for (BundleReport.Layer layer : report.layers()) {
      alike
          .computeIfAbsent(
              List.of(
                  (long) Math.min(layer.layer(), 0), (long) layer.launches(), layer.readBytes()),
              k -> new ArrayList<>())
          .add(layer.layer());
    }
    alike.forEach((facts, layers) ->
        line("%-28s  %8d  %s", name(layers), facts.get(1), Sizes.bytes(facts.get(2))));
    line("%-28s  %8d  %s", "together", report.launches(), Sizes.bytes(report.readBytesPerToken()));
    line("");
    line(terminal.bold("kernel                        launches  variants"));
    for (BundleReport.Kernel kernel : report.kernels()) {
      line("%-28s  %8d  %8d", kernel.kind(), kernel.launches(), kernel.variants());
    }
    line("");
    line(terminal.bold("plan                          launches  step buffers"));
    for (BundleReport.PlanFacts plan : report.plans()) {
      line("%-28s  %8d  %s", plan.key(), plan.launches(), Sizes.bytes(plan.arenaBytes()));
    }
    line("");
    copies(report);
    if (report.arithmetic().isEmpty()) {
      line("arithmetic exact: weights as stored, f32 products and sums");
    }
    report.arithmetic().forEach(sentence -> line("arithmetic %s", sentence));
  }

  /** {@code layers 0-10, 13, each}, or their number if they are many. */
  private static String name(List<Integer> layers) {
    if (layers.getFirst() < 0) {
      return "once a step";
    }
    StringBuilder ranges = new StringBuilder();
    for (int i = 0; i < layers.size(); ) {
      int j = i;
      while (j + 1 < layers.size() && layers.get(j + 1) == layers.get(j) + 1) {
        j++;
      }
      ranges
          .append(i == 0 ? "" : ", ")
          .append(layers.get(i))
          .append(i == j ? "" : "-" + layers.get(j));
      i = j + 1;
    }
    if (layers.size() == 1) {
      return "layer " + ranges;
    }
    return ranges.length() <= 14 ? "layers " + ranges + ", each" : layers.size() + " layers, each";
  }

  private void copies(BundleReport report) {
    List<String> shown = new ArrayList<>();
    for (BundleReport.Copy copy : report.copies()) {
      if (shown.size() == 8) {
        line("copied     ... and %d more (--json lists all)", report.copies().size() - 8);
        return;
      }
      shown.add(copy.tensor());
      line(
          "copied     %s  %s has no kernel here: dequantised at load to %s, %s",
          copy.tensor(), copy.stored(), copy.loaded(), Sizes.bytes(copy.bytes()));
    }
  }

  private void line(String format, Object... values) {
    out.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
