package dev.heddle.gguf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each file of resources/bad is good.gguf with one lie. */
class GgufBadFilesTest {
  private static final Path BAD = Path.of("src/test/resources/bad");

  @Test
  void readsTheHonestFile() {
    try (GgufFile file = GgufFile.open(BAD.resolve("good.gguf"))) {
      assertEquals(3, file.version());
      assertEquals("llama", file.metadata().architecture());
      assertEquals(12, file.tensors().size());
      assertEquals(9888, file.bytes());
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
      01-magic.gguf | starts with the bytes 47475558 and not with 'GGUF', so it is no GGUF file; give a .gguf file or convert the model
      02-version-1.gguf | GGUF version 1 (32-bit lengths) is not read, only 2 and 3; convert the model again
      03-big-endian.gguf | the file is big-endian (version 3 with its bytes swapped), heddle reads little-endian files; convert the model again without --bigendian
      04-tensor-count-huge.gguf | the tensor count at byte 24 promises 4 611 686 018 427 387 904 entries, but only 9 864 bytes follow: the download is cut or damaged; fetch it again
      05-kv-count-one-more.gguf | the name of tensor 0 at byte 845 promises 2 251 799 813 685 248 bytes, but only 9 043 bytes follow: the download is cut or damaged; fetch it again
      06-string-length-past-end.gguf | metadata 'general.name' at byte 101 promises 1 099 511 627 776 bytes, but only 9 787 bytes follow: the download is cut or damaged; fetch it again
      07-array-count-huge.gguf | metadata 'tokenizer.ggml.token_type' at byte 729 promises 9 223 372 036 854 775 807 entries, but only 9 159 bytes follow: the download is cut or damaged; fetch it again
      08-value-type-unknown.gguf | metadata 'llama.block_count' has value type 13, known are 0 to 12: the file is damaged or newer than heddle; fetch it again or fetch a newer heddle
      09-tensor-offset-past-end.gguf | tensor 'blk.0.ffn_down.weight' ends at byte 4 294 969 824, the file has 9 888: the download is cut; fetch it again
      10-tensor-offset-unaligned.gguf | tensor 'blk.0.attn_q.weight' starts at offset 1 156, which is no multiple of the alignment 32: the file is damaged; fetch it again or convert the model again
      11-dims-overflow.gguf | tensor 'blk.0.attn_q.weight' of dimensions [8589934592, 8589934592] has more values than 64 bits can count: the file is damaged; fetch it again or convert the model again
      12-five-dims.gguf | tensor 'blk.0.attn_q.weight' has 5 dimensions, at most 4 are possible: the file is damaged; fetch it again or convert the model again
      13-tensor-type-unknown.gguf | tensor 'blk.0.attn_q.weight' has type 99, which heddle does not know; fetch the model in another quantisation, or a newer heddle
      14-truncated.gguf | tensor 'blk.0.ffn_down.weight' ends at byte 9 888, the file has 9 788: the download is cut; fetch it again
      15-duplicate-tensor.gguf | tensor 'blk.0.attn_q.weight' is there twice: the file is damaged; fetch it again or convert the model again
      16-alignment-zero.gguf | metadata 'general.alignment' is 0 of type U32, not a power of two of type U32: the file is damaged; fetch it again or convert the model again
      17-block-not-whole.gguf | tensor 'blk.0.ffn_up.weight' has rows of 40 values, which are not whole blocks of 32 (Q8_0): the file is damaged; fetch it again or convert the model again
      19-overlap.gguf | tensors 'token_embd.weight' and 'blk.0.attn_q.weight' overlap at offset 0 (the first ends at 512): the file is damaged; fetch it again or convert the model again
      20-invalid-utf8-key.gguf | the key of metadata entry 1 before byte 89 is no UTF-8 (12 bytes): the file is damaged; fetch it again
      21-nested-array.gguf | metadata 'general.deep' is an array of arrays, which no model's metadata has: the file is damaged; fetch it again or convert the model again
      """)
  void refusesALieInOneSentence(String name, String sentence) {
    GgufException e = assertThrows(GgufException.class, () -> GgufFile.open(BAD.resolve(name)).close());
    assertEquals(name + ": " + sentence, e.getMessage());
  }

  /** A contradiction between metadata and tensors is the model's, not the container's: the compiler refuses it. */
  @ParameterizedTest
  @CsvSource({"18-shape-against-metadata.gguf", "22-block-count-lie.gguf", "23-head-count-zero.gguf"})
  void opensASoundContainerOfAContradictoryModel(String name) {
    try (GgufFile file = GgufFile.open(BAD.resolve(name))) {
      assertTrue(file.tensors().size() == 12 || file.tensors().size() == 21, file.tensors().toString());
    }
  }
}
