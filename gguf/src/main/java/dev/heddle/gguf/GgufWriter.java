package dev.heddle.gguf;

import static dev.heddle.gguf.GgufException.number;
import static dev.heddle.gguf.GgufException.quoted;

import dev.heddle.ir.DType;
import dev.heddle.ir.HeddleBug;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;

/**
 * Writes a version 3 file as a stream: the header at once, then the tensors' bytes in order. The
 * file is {@code .NAME.part} beside its final name until {@link #commit} has brought it to the disk
 * and renamed it, so the final name never holds half a file; a part that a killed process left is
 * overwritten by the next writer of that name.
 */
public final class GgufWriter implements AutoCloseable {
  /** A pipe's worth per write keeps temporary direct buffers small. */
  private static final int CHUNK = 1 << 22;

  /** A tensor to write. */
  public record Tensor(String name, DType type, long[] ne) {
    /** The tensor's size in the file, without padding. */
    public long bytes() {
      long rows = 1;
      for (int i = 1; i < ne.length; i++) {
        rows = Math.multiplyExact(rows, ne[i]);
      }
      return Math.multiplyExact(type.bytes(ne.length == 0 ? 1 : ne[0]), rows);
    }
  }

  private final Path path;
  private final Path part;
  private final FileChannel channel;
  private final FileLock lock;
  private final List<Tensor> tensors;
  private final long alignment;
  private int tensor;
  private long written;
  private boolean isCommitted;

  private GgufWriter(
      Path path,
      Path part,
      FileChannel channel,
      FileLock lock,
      List<Tensor> tensors,
      long alignment) {
    this.path = path;
    this.part = part;
    this.channel = channel;
    this.lock = lock;
    this.tensors = tensors;
    this.alignment = alignment;
  }

  /**
   * Starts a file with these metadata ({@code general.alignment} is obeyed) and these tensors in
   * this order.
   */
  public static GgufWriter create(
      Path path, Map<String, GgufValue> metadata, List<Tensor> tensors) {
    long alignment = alignment(metadata);
    byte[] header = HeaderBytes.of(metadata, tensors, alignment);
    long size = header.length;
    for (Tensor t : tensors) {
      size = Math.addExact(size, padded(t.bytes(), alignment));
    }
    Path absolute = path.toAbsolutePath();
    Path part = absolute.resolveSibling("." + absolute.getFileName() + ".part");
    try {
      FileChannel channel =
          FileChannel.open(part, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      FileLock lock = lock(path, part, channel);
      GgufWriter writer =
          new GgufWriter(path, part, channel, lock, List.copyOf(tensors), alignment);
      boolean isReady = false;
      try {
        requireSpace(path, absolute.getParent(), size);
        channel.truncate(0);
        writer.put(ByteBuffer.wrap(header));
        writer.endFull();
        isReady = true;
        return writer;
      } finally {
        if (!isReady) {
          writer.close();
        }
      }
    } catch (IOException e) {
      throw unwritable(path, e);
    }
  }

  /** Appends bytes of the current tensor, or of the following ones too: only their sum matters. */
  public void append(MemorySegment bytes) {
    long at = 0;
    while (at < bytes.byteSize()) {
      if (tensor == tensors.size()) {
        throw new HeddleBug(
            number(bytes.byteSize() - at) + " bytes beyond the last tensor of " + path);
      }
      long count =
          Math.min(bytes.byteSize() - at, Math.min(CHUNK, tensors.get(tensor).bytes() - written));
      put(buffer(bytes.asSlice(at, count)));
      at += count;
      written += count;
      endFull();
    }
  }

  /**
   * A view of native memory and byte arrays; a copy of other arrays, which buffers cannot view as
   * bytes.
   */
  private static ByteBuffer buffer(MemorySegment bytes) {
    boolean isViewable = bytes.isNative() || bytes.heapBase().orElse(null) instanceof byte[];
    return isViewable
        ? bytes.asByteBuffer()
        : ByteBuffer.wrap(bytes.toArray(ValueLayout.JAVA_BYTE));
  }

  /** Brings the file to the disk and gives it its name, in place of an older file of that name. */
  public void commit() {
    if (tensor != tensors.size()) {
      throw new HeddleBug(
          "tensor "
              + quoted(tensors.get(tensor).name())
              + " of "
              + path
              + " lacks "
              + number(tensors.get(tensor).bytes() - written)
              + " bytes");
    }
    try {
      channel.force(true);
      Files.move(
          part,
          path.toAbsolutePath(),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
      isCommitted = true;
      syncFolder(path.toAbsolutePath().getParent());
    } catch (IOException e) {
      throw unwritable(path, e);
    }
  }

  /** Ends writing; without {@link #commit} before it, nothing is left. */
  @Override
  public void close() {
    try {
      if (!isCommitted) {
        Files.deleteIfExists(part);
      }
      lock.release();
      channel.close();
    } catch (IOException e) {
      throw unwritable(path, e);
    }
  }

  /** The rename itself must survive a power cut. Only POSIX systems open a folder. */
  private static void syncFolder(Path folder) throws IOException {
    if (folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      try (FileChannel handle = FileChannel.open(folder, StandardOpenOption.READ)) {
        handle.force(true);
      }
    }
  }

  /**
   * The lock of the part file, if nobody has it and the file still is the part: its last writer may
   * just have renamed it.
   */
  private static FileLock lock(Path path, Path part, FileChannel channel) throws IOException {
    FileLock lock = null;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      channel.close();
      throw beingWritten(path, e);
    }
    if (lock == null || !Files.exists(part)) {
      channel.close();
      throw beingWritten(path, null);
    }
    return lock;
  }

  private static GgufException beingWritten(Path path, Throwable cause) {
    return new GgufException(
        path + ": another writer is at work on this file; wait for it or choose another name",
        cause);
  }

  private static void requireSpace(Path path, Path folder, long bytes) throws IOException {
    long free = Files.getFileStore(folder).getUsableSpace();
    if (free < bytes) {
      throw new GgufException(
          path
              + ": needs "
              + number(bytes)
              + " bytes, the disk has "
              + number(free)
              + " free; make room or choose another folder");
    }
  }

  /** Ends finished tensors, padding each to the alignment. */
  private void endFull() {
    while (tensor < tensors.size() && written == tensors.get(tensor).bytes()) {
      put(ByteBuffer.allocate((int) (padded(written, alignment) - written)));
      tensor++;
      written = 0;
    }
  }

  private void put(ByteBuffer bytes) {
    try {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } catch (IOException e) {
      throw unwritable(path, e);
    }
  }

  private static GgufException unwritable(Path path, IOException e) {
    return new GgufException(
        path + ": cannot be written (" + e.getMessage() + "); check the folder and the disk", e);
  }

  private static long alignment(Map<String, GgufValue> metadata) {
    if (!(metadata.get("general.alignment")
        instanceof GgufValue.Int(GgufValue.Type _, long value))) {
      return 32;
    }
    if (Long.bitCount(value) != 1 || value < 1 || value > 1 << 20) {
      throw new IllegalArgumentException("alignment " + value + " is no power of two up to 2^20");
    }
    return value;
  }

  /** {@code bytes} rounded up to the alignment. */
  static long padded(long bytes, long alignment) {
    return Math.addExact(bytes, alignment - 1) / alignment * alignment;
  }
}
