package dev.heddle.ir;

/**
 * Type of a graph value: element type, shape, layout. Text form: {@code f32[T, 2048]} for rows,
 * {@code q8_0{2048, 512}} for weights in GGUF order.
 */
public record TensorType(DType dtype, Shape shape, Layout layout) {
  /** Activation rows of the given type and dimensions, outermost first. */
  public static TensorType rows(DType dtype, Dim... dims) {
    return new TensorType(dtype, Shape.of(dims), Layout.ROWS);
  }

  /** f32 activation rows. */
  public static TensorType f32(Dim... dims) {
    return rows(DType.F32, dims);
  }

  /** i32 activation rows. */
  public static TensorType i32(Dim... dims) {
    return rows(DType.I32, dims);
  }

  /** A weight in GGUF order, innermost dimension first. */
  public static TensorType weight(DType dtype, long... dims) {
    return new TensorType(dtype, Shape.of(dims), Layout.GGUF);
  }

  /** This type with another shape. */
  public TensorType withShape(Shape other) {
    return new TensorType(dtype, other, layout);
  }

  /** This type with another element type. */
  public TensorType withDType(DType other) {
    return new TensorType(other, shape, layout);
  }

  /** The contiguous dimension: last of rows, first of a weight. */
  public Dim innermost() {
    return layout == Layout.ROWS ? shape.last() : shape.dim(0);
  }

  @Override
  public String toString() {
    String dims = shape.toString();
    return dtype.text()
        + (layout == Layout.ROWS ? dims : "{" + dims.substring(1, dims.length() - 1) + "}");
  }
}
