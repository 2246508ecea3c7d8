package dev.heddle.ir;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Dimensions of a tensor. Activations are written outermost first ({@code [T, n]}), weights in
 * GGUF's order, innermost first ({@code [in, out]}); {@link TensorType#layout()} says which.
 */
public record Shape(List<Dim> dims) {
  public Shape {
    dims = List.copyOf(dims);
  }

  /** A shape of the given dimensions. */
  public static Shape of(Dim... dims) {
    return new Shape(Arrays.asList(dims));
  }

  /** A shape of constants. */
  public static Shape of(long... dims) {
    List<Dim> list = new ArrayList<>();
    for (long d : dims) {
      list.add(Dim.of(d));
    }
    return new Shape(list);
  }

  public int rank() {
    return dims.size();
  }

  /** Dimension {@code i}, counted from the end when negative. */
  public Dim dim(int i) {
    return dims.get(i < 0 ? dims.size() + i : i);
  }

  /** The last dimension, innermost for activations. */
  public Dim last() {
    return dim(-1);
  }

  /** This shape with dimension {@code i} (negative: from the end) replaced. */
  public Shape with(int i, Dim dim) {
    List<Dim> list = new ArrayList<>(dims);
    list.set(i < 0 ? list.size() + i : i, dim);
    return new Shape(list);
  }

  /** The product of the constant dimensions (1 if there is none). */
  public long constants() {
    long product = 1;
    for (Dim d : dims) {
      if (d instanceof Dim.Const c) {
        product = Math.multiplyExact(product, c.value());
      }
    }
    return product;
  }

  /** The symbolic dimensions, in order. */
  public List<Dim.Sym> symbols() {
    List<Dim.Sym> list = new ArrayList<>();
    for (Dim d : dims) {
      if (d instanceof Dim.Sym s) {
        list.add(s);
      }
    }
    return list;
  }

  @Override
  public String toString() {
    return dims.stream().map(Dim::toString).collect(Collectors.joining(", ", "[", "]"));
  }
}
