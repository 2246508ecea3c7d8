package dev.heddle.compiler.spec;

import dev.heddle.gguf.GgufFile;
import dev.heddle.gguf.GgufTensor;
import dev.heddle.gguf.GgufValue;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The facts of a GGUF file. */
public final class GgufFacts implements ModelFacts {
  private final GgufFile file;
  private final Map<String, Tensor> tensors = new LinkedHashMap<>();

  public GgufFacts(GgufFile file) {
    this.file = file;
    for (GgufTensor t : file.tensors()) {
      tensors.put(t.name(), new Tensor(t.type(), Arrays.stream(t.ne()).boxed().toList()));
    }
  }

  @Override
  public String name() {
    return file.path().getFileName().toString();
  }

  @Override
  public Optional<Object> metadata(String key) {
    return file.metadata().value(key).map(GgufFacts::plain);
  }

  private static Object plain(GgufValue value) {
    return switch (value) {
      case GgufValue.Int i -> i.value();
      case GgufValue.Real r -> real(r.type(), r.value());
      case GgufValue.Bool b -> b.value();
      case GgufValue.Text t -> t.value();
      case GgufValue.Ints a -> a.values();
      case GgufValue.Reals a ->
          Arrays.stream(a.values()).mapToObj(v -> real(a.elementType(), v)).toList();
      case GgufValue.Bools a -> a.values();
      case GgufValue.Texts a -> a.values();
      case GgufValue.Array a -> List.of();
    };
  }

  /** A 32-bit float keeps its shortest decimal form: 1e-6 in a file is 1e-6 in a report. */
  private static Object real(GgufValue.Type type, double value) {
    return type == GgufValue.Type.F32 ? (Object) (float) value : (Object) value;
  }

  @Override
  public Optional<Tensor> tensor(String name) {
    return Optional.ofNullable(tensors.get(name));
  }

  @Override
  public Collection<String> tensorNames() {
    return tensors.keySet();
  }
}
