package dev.heddle.compiler.spec;

import dev.heddle.ir.Op;

/** Where parameters come from: a config of the spec, or a file. */
sealed interface ParamSource permits ConfigSource, FileSource {
  Val.Scaling NO_SCALING = new Val.Scaling(new Op.RopeScaling.None(), false, 0);

  /** The config's or file's name. */
  String name();

  /** What a config says of a parameter, or null. */
  Expr setting(String param);

  /** The full metadata key. */
  String key(String key);

  /** The value of a metadata key, or null. */
  Val metadata(Spec.Param param, String key);

  /** Rope scaling from the keys that begin with {@code key} up to its star, or null. */
  Val scaling(Spec.Param param, String key);

  /** Sentence: a parameter without default has no value. */
  String missing(Spec.Param param, String key);

  /** Second dimension of a tensor. */
  long rows(Span span, String tensor);
}
