package dev.heddle.ir;

import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;

/**
 * Functions of one value, and of two with broadcasting. Each is computed in f64 and rounded once.
 */
final class Elementwise {
  /** Above it softplus(x) = x to every digit of f32. */
  private static final double SOFTPLUS_LINEAR = 20;

  private static final double GELU_CUBIC = 0.044715;

  private Elementwise() {}

  static Tensor.Reals map(Precision p, Tensor.Reals x, DoubleUnaryOperator f) {
    double[] out = new double[x.size()];
    for (int i = 0; i < out.length; i++) {
      out[i] = p.round(f.applyAsDouble(x.values()[i]));
    }
    return new Tensor.Reals(out, x.shape());
  }

  /** y's dimensions, aligned at the innermost, equal x's or are 1. */
  static Tensor.Reals zip(Precision p, Tensor.Reals x, Tensor.Reals y, DoubleBinaryOperator f) {
    double[] out = new double[x.size()];
    for (int i = 0; i < out.length; i++) {
      out[i] =
          p.round(
              f.applyAsDouble(x.values()[i], y.values()[broadcastIndex(i, x.shape(), y.shape())]));
    }
    return new Tensor.Reals(out, x.shape());
  }

  private static int broadcastIndex(int index, int[] from, int[] to) {
    int rest = index;
    int stride = 1;
    int result = 0;
    for (int back = 1; back <= to.length; back++) {
      int size = from[from.length - back];
      int d = to[to.length - back];
      result += d == 1 ? 0 : rest % size * stride;
      stride *= d;
      rest /= size;
    }
    return result;
  }

  static double clamp(double x, double min, double max) {
    return x < min ? min : x > max ? max : x;
  }

  static double relu(double x) {
    return Math.max(x, 0); // Math.max lets a NaN through
  }

  static double sigmoid(double x) {
    return 1 / (1 + Math.exp(-x));
  }

  static double silu(double x) {
    return x / (1 + Math.exp(-x));
  }

  static double geluTanh(double x) {
    return 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + GELU_CUBIC * x * x * x)));
  }

  static double geluErf(double x) {
    return 0.5 * x * (1 + erf(x / Math.sqrt(2)));
  }

  static double softplus(double x) {
    return x > SOFTPLUS_LINEAR ? x : Math.log1p(Math.exp(x));
  }

  static double act(Op.Act act, double x) {
    return switch (act) {
      case SILU -> silu(x);
      case GELU_TANH -> geluTanh(x);
      case GELU_ERF -> geluErf(x);
      case RELU -> relu(x);
    };
  }

  /**
   * 2 / sqrt(pi) e^(-x^2) sum_n 2^n x^(2n+1) / (2n+1)!!: all terms have one sign. Beyond 6 it is 1
   * to the last bit.
   */
  static double erf(double x) {
    if (!(Math.abs(x) <= 6)) { // NaN too
      return Math.signum(x); // NaN for NaN
    }
    double term = x;
    double sum = 0;
    for (int n = 1; sum + term != sum; n++) {
      sum += term;
      term *= 2 * x * x / (2 * n + 1);
    }
    return 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * sum;
  }
}
