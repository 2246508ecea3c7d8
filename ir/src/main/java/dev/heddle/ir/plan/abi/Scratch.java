package dev.heddle.ir.plan.abi;

/**
 * Arrays of one thread that kernels use within a launch; they grow to the largest request and stay.
 * Contents are undefined.
 */
public final class Scratch {
  private float[] floats = new float[0];
  private float[] moreFloats = new float[0];
  private short[] shorts = new short[0];
  private int[] ints = new int[0];
  private byte[] bytes = new byte[0];

  /** 16 lanes on their way out of vectors. */
  public final float[] lanes = new float[64];

  /** At least {@code n} floats. */
  public float[] floats(int n) {
    if (floats.length < n) {
      floats = new float[n];
    }
    return floats;
  }

  /** A second array of at least {@code n} floats. */
  public float[] moreFloats(int n) {
    if (moreFloats.length < n) {
      moreFloats = new float[n];
    }
    return moreFloats;
  }

  /** At least {@code n} shorts. */
  public short[] shorts(int n) {
    if (shorts.length < n) {
      shorts = new short[n];
    }
    return shorts;
  }

  /** At least {@code n} bytes. */
  public byte[] bytes(int n) {
    if (bytes.length < n) {
      bytes = new byte[n];
    }
    return bytes;
  }

  /** At least {@code n} ints. */
  public int[] ints(int n) {
    if (ints.length < n) {
      ints = new int[n];
    }
    return ints;
  }
}
