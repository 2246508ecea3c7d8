package dev.heddle.passes.canonical;

import dev.heddle.ir.Graph;
import dev.heddle.ir.GraphBuilder;
import dev.heddle.ir.Node;
import dev.heddle.ir.Op;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Adds nodes to a graph, giving the known value where an equal node is there already. */
final class Emitter {
  private record Key(Op op, List<Value> inputs) {}

  private final GraphBuilder builder = new GraphBuilder();
  private final Map<Key, List<Value>> known = new HashMap<>();
  private final List<Integer> depth = new ArrayList<>();
  private final List<Long> fingerprint = new ArrayList<>();

  /** Nodes to come stand for parts of {@code node}. */
  void at(Node node) {
    builder.at(node.layer(), node.role(), node.source());
  }

  /** The first result of an op. */
  Value add(Op op, Value... inputs) {
    return addAll(op, List.of(inputs)).get(0);
  }

  /**
   * All results of an op. State updates and captures are never merged: each is an event with a
   * name.
   */
  List<Value> addAll(Op op, List<Value> inputs) {
    if (op instanceof Op.KvAppend || op instanceof Op.Capture) {
      return noted(builder.addAll(op, inputs), op, inputs);
    }
    Key key = new Key(op, inputs);
    List<Value> results = known.get(key);
    if (results == null) {
      results = noted(builder.addAll(op, inputs), op, inputs);
      known.put(key, results);
    }
    return results;
  }

  /** A leaf of another graph. */
  List<Value> leaf(Node node) {
    return noted(builder.copy(node, List.of()), node.op(), List.of());
  }

  /** Rows of a weight. */
  Value weight(String tensor, long rowFrom, long rowTo, TensorType type) {
    return noted(
            List.of(builder.weight(tensor, rowFrom, rowTo, type)),
            new Op.Weight(tensor, rowFrom, rowTo),
            List.of())
        .get(0);
  }

  /** A constant. */
  Value constant(double value) {
    return noted(List.of(builder.constant(value)), new Op.Constant(value), List.of()).get(0);
  }

  /** The node that makes a value. */
  Node node(Value value) {
    return builder.node(value);
  }

  /** A value's type. */
  TensorType type(Value value) {
    return builder.type(value);
  }

  Graph graph(String name) {
    return builder.build(name);
  }

  /**
   * True if {@code a} comes before {@code b} in canonical order: fewer ops from the leaves first,
   * then by a fingerprint of all that is above. Neither depends on the order in which a spec is
   * written.
   */
  boolean isBefore(Value a, Value b) {
    int byDepth = Integer.compare(depth.get(a.node()), depth.get(b.node()));
    if (byDepth != 0) {
      return byDepth < 0;
    }
    int byFingerprint = Long.compare(fingerprint.get(a.node()), fingerprint.get(b.node()));
    return byFingerprint != 0 ? byFingerprint < 0 : a.result() < b.result();
  }

  private List<Value> noted(List<Value> results, Op op, List<Value> inputs) {
    int id = results.get(0).node();
    if (id == depth.size()) {
      int deepest = 0;
      long mix = op.toString().hashCode();
      for (Value input : inputs) {
        deepest = Math.max(deepest, depth.get(input.node()) + 1);
        mix = scrambled(mix ^ scrambled(fingerprint.get(input.node()) + input.result()));
      }
      depth.add(deepest);
      fingerprint.add(scrambled(mix));
    }
    return results;
  }

  /** The finaliser of splitmix64: every input bit reaches every output bit. */
  private static long scrambled(long x) {
    long z = (x ^ (x >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
