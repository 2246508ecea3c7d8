package dev.heddle.passes.schedule;

import dev.heddle.ir.Graph;
import dev.heddle.ir.HeddleBug;
import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import dev.heddle.ir.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * An order of nodes that respects every edge, and the one order that edges do not show: a state's
 * memory is written in place, so all readers of a version come before the node that makes the next
 * one. Among nodes that are ready the lowest id goes first.
 */
final class Order {
  private Order() {}

  static List<Node> of(Graph graph) {
    Map<Integer, Node> byId = graph.byId();
    Map<Integer, List<Integer>> after = new HashMap<>();
    Map<Integer, Integer> waits = new HashMap<>();
    for (Node node : graph.nodes()) {
      for (Value input : node.inputs()) {
        edge(input.node(), node.id(), after, waits);
      }
    }
    Map<Value, List<Node>> readers = graph.readers();
    for (Node writer : graph.nodes()) {
      if (writer.op() instanceof Op.KvAppend) {
        for (Node reader : readers.get(writer.input(0))) {
          if (reader.id() != writer.id()) {
            edge(reader.id(), writer.id(), after, waits);
          }
        }
      }
    }
    PriorityQueue<Integer> ready = new PriorityQueue<>();
    for (Node node : graph.nodes()) {
      if (!waits.containsKey(node.id())) {
        ready.add(node.id());
      }
    }
    List<Node> order = new ArrayList<>(graph.nodes().size());
    while (!ready.isEmpty()) {
      int id = ready.poll();
      order.add(byId.get(id));
      for (int next : after.getOrDefault(id, List.of())) {
        if (waits.merge(next, -1, Integer::sum) == 0) {
          ready.add(next);
        }
      }
    }
    if (order.size() != graph.nodes().size()) {
      throw new HeddleBug(
          "no order of graph '"
              + graph.name()
              + "' lets every reader of a state come before its next version");
    }
    return order;
  }

  private static void edge(
      int from, int to, Map<Integer, List<Integer>> after, Map<Integer, Integer> waits) {
    after.computeIfAbsent(from, f -> new ArrayList<>()).add(to);
    waits.merge(to, 1, Integer::sum);
  }
}
