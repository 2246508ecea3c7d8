package dev.heddle.compiler.spec;

import dev.heddle.ir.DType;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The facts of a file that exists only in a test: what a config would be as a file, then changed.
 */
final class FakeFile implements ModelFacts {
  private final Map<String, Object> metadata = new LinkedHashMap<>();
  private final Map<String, Tensor> tensors = new LinkedHashMap<>();

  /** What a file of this config says. */
  static FakeFile of(Spec spec, String config) {
    ModelGraph model =
        SpecCompiler.compile(spec, config, TypeRecipe.uniform(DType.F16), CompileOptions.DEFAULT);
    FakeFile file = new FakeFile();
    file.metadata.putAll(model.metadata());
    model.weights().forEach(w -> file.tensors.put(w.tensor(), new Tensor(w.stored(), w.ne())));
    return file;
  }

  /** The same facts, to be changed apart. */
  FakeFile copy() {
    FakeFile file = new FakeFile();
    file.metadata.putAll(metadata);
    file.tensors.putAll(tensors);
    return file;
  }

  FakeFile with(String key, Object value) {
    metadata.put(key, value);
    return this;
  }

  FakeFile without(String key) {
    metadata.remove(key);
    return this;
  }

  FakeFile tensor(String name, DType type, long... ne) {
    tensors.put(name, new Tensor(type, Arrays.stream(ne).boxed().toList()));
    return this;
  }

  FakeFile drop(Predicate<String> names) {
    tensors.keySet().removeIf(names);
    return this;
  }

  @Override
  public String name() {
    return "file.gguf";
  }

  @Override
  public Optional<Object> metadata(String key) {
    return Optional.ofNullable(metadata.get(key));
  }

  @Override
  public Optional<Tensor> tensor(String name) {
    return Optional.ofNullable(tensors.get(name));
  }

  @Override
  public Collection<String> tensorNames() {
    return List.copyOf(tensors.keySet());
  }
}
