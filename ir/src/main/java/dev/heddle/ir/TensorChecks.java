package dev.heddle.ir;

import java.util.ArrayList;
import java.util.List;

/**
 * Conditions on input types that several ops share; each failure is a sentence with the op and the
 * shapes.
 */
final class TensorChecks {
  private TensorChecks() {}

  static GraphException fail(Op op, String need, TensorType a, TensorType b) {
    return new GraphException("'" + op.text() + "' " + need + ": " + a + " and " + b);
  }

  /** Dimensions outermost first, whatever the layout. */
  static List<Dim> dims(TensorType t) {
    return t.layout() == Layout.ROWS ? t.shape().dims() : t.shape().dims().reversed();
  }

  /** Real numbers: f32 rows, or a weight of any real type. */
  static void real(Op op, TensorType x) {
    real("'" + op.text() + "'", x);
  }

  static void real(String name, TensorType x) {
    if (isInteger(x.dtype()) || isState(x) || x.layout() == Layout.ROWS && x.dtype() != DType.F32) {
      throw new GraphException(name + " needs f32 rows or a weight, not " + x);
    }
    if (x.shape().rank() == 0) {
      throw new GraphException(name + " needs at least one dimension, not " + x);
    }
  }

  static void notIntegers(Op op, TensorType x) {
    if (isInteger(x.dtype()) || isState(x)) {
      throw new GraphException("'" + op.text() + "' needs real numbers, not " + x);
    }
  }

  static void activations(Op op, TensorType x) {
    if (x.layout() != Layout.ROWS
        || x.dtype() != DType.F32
        || x.shape().rank() == 0
        || isState(x)) {
      throw new GraphException("'" + op.text() + "' needs f32 rows, not " + x);
    }
  }

  /** Input of a product: f32 or q8_1 rows. */
  static void product(Op op, TensorType x) {
    if (x.layout() != Layout.ROWS
        || isState(x)
        || x.dtype() != DType.F32 && x.dtype() != DType.Q8_1) {
      throw new GraphException("'" + op.text() + "' needs f32 or q8_1 rows, not " + x);
    }
  }

  static void ids(Op op, String what, TensorType x) {
    if (x.layout() != Layout.ROWS || x.dtype() != DType.I32) {
      throw new GraphException("'" + op.text() + "' needs " + what + " of type i32, not " + x);
    }
  }

  static void weight(Op op, TensorType w, int rank, String form) {
    if (w.layout() != Layout.GGUF || w.shape().rank() != rank || isInteger(w.dtype())) {
      throw new GraphException("'" + op.text() + "' needs a weight " + form + ", not " + w);
    }
  }

  static void state(Op op, TensorType s) {
    boolean type =
        switch (s.dtype()) {
          case F32, F16, BF16, Q8_0, Q4_0 -> true;
          default -> false;
        };
    if (s.layout() != Layout.ROWS
        || s.shape().rank() < 2
        || !s.shape().dim(0).equals(Dim.C)
        || !type) {
      throw new GraphException(
          "'" + op.text() + "' needs a state [C, ..] of f32, f16, bf16, q8_0 or q4_0, not " + s);
    }
    if (!isWholeBlocks(s.shape().last(), s.dtype())) {
      String block = "whole blocks of " + s.dtype().blockSize() + " for " + s.dtype().text();
      throw new GraphException("'" + op.text() + "' needs rows of " + block + ", not " + s);
    }
  }

  static void rank(Op op, String what, TensorType x, int rank) {
    if (x.shape().rank() != rank) {
      throw new GraphException(
          "'" + op.text() + "' needs " + what + " of " + rank + " dimensions, not " + x.shape());
    }
  }

  static void sameDim(Op op, String what, TensorType a, int i, TensorType b, int j) {
    if (!a.shape().dim(i).equals(b.shape().dim(j))) {
      throw fail(op, "needs as many " + what + " in both", a, b);
    }
  }

  /**
   * Rows of the step's tokens [T, ..] and their positions: a token's sequence is known by its place
   * in the step alone.
   */
  static void tokens(Op op, TensorType rows, TensorType pos) {
    ids(op, "pos", pos);
    rank(op, "pos", pos, 1);
    if (!rows.shape().dim(0).equals(Dim.T) || !pos.shape().dim(0).equals(Dim.T)) {
      throw fail(op, "needs a row and a position for each of the step's tokens T", rows, pos);
    }
  }

  /** Size of dimension {@code i}, which no step changes. */
  static long constant(Op op, TensorType x, int i) {
    if (!(x.shape().dim(i) instanceof Dim.Const size)) {
      throw new GraphException(
          "'"
              + op.text()
              + "' needs a constant in place of "
              + x.shape().dim(i)
              + " of "
              + x.shape());
    }
    return size.value();
  }

  /** Length of the rows that an op walks: a constant, so that a row is never empty. */
  static long innermost(Op op, TensorType x) {
    real(op, x);
    return constant(op, x, x.layout() == Layout.ROWS ? x.shape().rank() - 1 : 0);
  }

  static void notState(Op op, TensorType x) {
    if (isState(x)) {
      throw new GraphException("'" + op.text() + "' cannot take a state: " + x);
    }
  }

  static boolean isWholeBlocks(Dim inner, DType type) {
    return !type.isQuantised()
        || inner instanceof Dim.Const size && size.value() % type.blockSize() == 0;
  }

  /** A real operand with exactly these dimensions, outermost first. */
  static void same(Op op, String what, TensorType x, List<Dim> dims) {
    real(op, x);
    if (!dims(x).equals(dims)) {
      List<Dim> wanted = x.layout() == Layout.ROWS ? dims : dims.reversed();
      throw new GraphException(
          "'"
              + op.text()
              + "' needs "
              + what
              + " of shape "
              + new Shape(wanted)
              + ", not "
              + x.shape());
    }
  }

  /** Index of dimension {@code dim} (negative: from the end) of x. */
  static int dimension(Op op, int dim, TensorType x) {
    int rank = x.shape().rank();
    int index = dim < 0 ? rank + dim : dim;
    if (index < 0 || index >= rank) {
      throw new GraphException("'" + op.text() + "' has no dimension " + dim + " in " + x.shape());
    }
    return index;
  }

  /**
   * True if both shapes hold the same values in the same order for every value of their symbols.
   */
  static boolean sameValues(Shape a, Shape b) {
    if (a.rank() == 0
        || b.rank() == 0
        || a.constants() != b.constants()
        || !a.symbols().equals(b.symbols())) {
      return false;
    }
    return constantsBeforeSymbols(a).equals(constantsBeforeSymbols(b));
  }

  private static List<Long> constantsBeforeSymbols(Shape shape) {
    List<Long> list = new ArrayList<>();
    long product = 1;
    for (Dim d : shape.dims()) {
      switch (d) {
        case Dim.Const c -> product *= c.value();
        case Dim.Sym s -> list.add(product);
      }
    }
    return list;
  }

  /**
   * Only states have positions C: their rows live outside the graph, and kv_append and attention
   * alone touch them.
   */
  private static boolean isState(TensorType x) {
    return x.layout() == Layout.ROWS && x.shape().rank() > 0 && x.shape().dim(0).equals(Dim.C);
  }

  private static boolean isInteger(DType type) {
    return switch (type) {
      case I8, I16, I32, I64 -> true;
      default -> false;
    };
  }
}
