package dev.heddle.gguf;

import static dev.heddle.gguf.GgufException.number;
import static dev.heddle.gguf.GgufException.quoted;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An open GGUF file, version 2 or 3, little-endian, memory-mapped; or the set of files {@code
 * NAME-00001-of-0000n.gguf} that one model was split into, opened by any of its parts. Metadata are
 * the first part's.
 *
 * <p>Opening checks everything that the container promises: counts, strings, types, dimensions,
 * alignment, and that every tensor's bytes lie in the file and in no other tensor. Whatever is
 * wrong is a {@link GgufException}.
 */
public final class GgufFile implements AutoCloseable {
  private static final Pattern PART =
      Pattern.compile("(.*)-(\\d{5})-of-(\\d{5})\\.gguf", Pattern.DOTALL);

  private final Path path;
  private final Arena arena;
  private final int version;
  private final GgufMetadata metadata;
  private final Map<String, GgufTensor> tensors;
  private final List<GgufTensor> ordered;
  private final long bytes;

  private GgufFile(
      Path path,
      Arena arena,
      int version,
      GgufMetadata metadata,
      Map<String, GgufTensor> tensors,
      long bytes) {
    this.path = path;
    this.arena = arena;
    this.version = version;
    this.metadata = metadata;
    this.tensors = tensors;
    this.ordered = List.copyOf(tensors.values());
    this.bytes = bytes;
  }

  /** Opens the file, or all parts of the model that it is a part of. */
  public static GgufFile open(Path path) {
    Arena arena = Arena.ofShared();
    boolean opened = false;
    try {
      GgufFile file = open(path, arena);
      opened = true;
      return file;
    } finally {
      if (!opened) {
        arena.close();
      }
    }
  }

  private static GgufFile open(Path path, Arena arena) {
    GgufParser.Container given = read(path, arena);
    GgufMetadata metadata = new GgufMetadata(name(path), given.metadata());
    long count = metadata.integer("split.count").orElse(1L);
    Map<String, GgufTensor> tensors = new LinkedHashMap<>();
    if (count <= 1) {
      given.tensors().forEach(t -> tensors.put(t.name(), t));
      return new GgufFile(path, arena, given.version(), metadata, tensors, given.bytes());
    }
    Matcher part = PART.matcher(name(path));
    if (!part.matches() || Long.parseLong(part.group(3)) != count) {
      throw new GgufException(
          path
              + ": metadata says that this is one of "
              + number(count)
              + " parts, but the name is not of the form NAME-00001-of-"
              + "%05d.gguf; give the parts the names that they were published with"
                  .formatted(count));
    }
    GgufMetadata first = metadata;
    long bytes = 0;
    for (int i = 1; i <= count; i++) {
      Path sibling =
          path.resolveSibling("%s-%05d-of-%s.gguf".formatted(part.group(1), i, part.group(3)));
      GgufParser.Container container =
          sibling.equals(path) ? given : readPart(sibling, i, count, arena);
      GgufMetadata own = new GgufMetadata(name(sibling), container.metadata());
      if (own.integer("split.no").orElse(-1L) != i - 1
          || own.integer("split.count").orElse(-1L) != count) {
        throw new GgufException(
            sibling
                + ": metadata split.no and split.count do not say part "
                + i
                + " of "
                + count
                + "; the part belongs to another model or was renamed; fetch it again");
      }
      first = i == 1 ? own : first;
      bytes += container.bytes();
      for (GgufTensor tensor : container.tensors()) {
        if (tensors.put(tensor.name(), tensor) != null) {
          throw new GgufException(
              sibling
                  + ": tensor "
                  + quoted(tensor.name())
                  + " is in an earlier part too; fetch all parts from one place");
        }
      }
    }
    long promised = first.integer("split.tensors.count").orElse((long) tensors.size());
    if (promised != tensors.size()) {
      throw new GgufException(
          path
              + ": metadata split.tensors.count promises "
              + number(promised)
              + " tensors, the "
              + count
              + " parts hold "
              + number(tensors.size())
              + "; fetch all parts from one place");
    }
    return new GgufFile(path, arena, given.version(), first, tensors, bytes);
  }

  private static GgufParser.Container readPart(Path part, int number, long count, Arena arena) {
    if (!Files.isRegularFile(part)) {
      throw new GgufException(
          part
              + ": part "
              + number
              + " of "
              + count
              + " is missing; fetch it into the same folder");
    }
    return read(part, arena);
  }

  private static GgufParser.Container read(Path path, Arena arena) {
    if (!Files.exists(path)) {
      throw new GgufException(path + ": there is no such file; check the path");
    }
    if (!Files.isRegularFile(path)) {
      throw new GgufException(path + ": is no regular file; give the path of a .gguf file");
    }
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      MemorySegment bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      return new GgufParser(name(path), bytes).parse();
    } catch (IOException e) {
      throw new GgufException(
          path + ": cannot be read (" + e.getMessage() + "); check its permissions and the disk",
          e);
    }
  }

  private static String name(Path path) {
    Path name = path.getFileName();
    return name == null ? path.toString() : name.toString();
  }

  /** The path that was opened. */
  public Path path() {
    return path;
  }

  /** The container's version, 2 or 3. */
  public int version() {
    return version;
  }

  /** Bytes of the file, or of all parts. */
  public long bytes() {
    return bytes;
  }

  /** The metadata, in the file's order. */
  public GgufMetadata metadata() {
    return metadata;
  }

  /** All tensors, in the file's order. */
  public List<GgufTensor> tensors() {
    return ordered;
  }

  /** The tensor of this name. */
  public Optional<GgufTensor> tensor(String name) {
    return Optional.ofNullable(tensors.get(name));
  }

  /** The tensor of this name; its absence is an error. */
  public GgufTensor require(String name) {
    return tensor(name)
        .orElseThrow(() ->
            new GgufException(
                path
                    + ": tensor "
                    + quoted(name)
                    + " is missing (the file has "
                    + number(tensors.size())
                    + " tensors); convert the model again with a current converter"));
  }

  /** Unmaps the file; its tensors' data must not be used afterwards. */
  @Override
  public void close() {
    arena.close();
  }
}
