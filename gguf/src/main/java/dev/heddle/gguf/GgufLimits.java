package dev.heddle.gguf;

/**
 * What heddle accepts at most, so that a damaged header of a large file cannot promise more than
 * memory holds. The largest known vocabularies have 262 144 tokens and 500 000 merges, the longest
 * templates 20 kB, the largest models some ten thousand tensors.
 */
final class GgufLimits {
  /** Elements of one array. */
  static final int ARRAY_ELEMENTS = 1 << 22;

  /** Elements of all arrays together. */
  static final int TOTAL_ELEMENTS = 1 << 23;

  /** Bytes of one string. */
  static final int STRING_BYTES = 1 << 26;

  /** Bytes of a key or a tensor's name. */
  static final int NAME_BYTES = 1 << 16;

  /** Bytes of header and metadata together. */
  static final long HEADER_BYTES = 1L << 28;

  /** Metadata entries, and tensors. */
  static final int ENTRIES = 1 << 20;

  private GgufLimits() {}
}
