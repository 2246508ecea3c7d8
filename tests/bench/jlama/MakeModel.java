import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Writes the folder that Jlama reads, of the shape of {@code heddle synth --spec llama --config llama-3.2-1b --layers 3}: {@code config.json},
 * {@code model.safetensors} (BF16, seeded weights of the standard deviation that keeps activations at unit scale) and {@code README.md}, beside a
 * given {@code tokenizer.json}. Usage: {@code java MakeModel.java OUT_DIR TOKENIZER_JSON}.
 */
final class MakeModel {
  private static final int LAYERS = 3;
  private static final int WIDTH = 2048;
  private static final int HEADS = 32;
  private static final int KEY_HEADS = 8;
  private static final int HEAD = 64;
  private static final int INNER = 8192;
  private static final int VOCABULARY = 128256;
  private static final long SEED = 1;

  /** Rows and columns of a tensor; columns are the values that one output sums over. A norm has one dimension and is all ones. */
  private record Tensor(String name, int rows, int columns) {
    boolean isNorm() {
      return rows == 0;
    }

    long bytes() {
      return 2L * Math.max(rows, 1) * columns;
    }

    String shape() {
      return isNorm() ? "[" + columns + "]" : "[" + rows + "," + columns + "]";
    }
  }

  public static void main(String[] args) throws IOException {
    Path out = Path.of(args[0]);
    Files.createDirectories(out);
    Files.copy(Path.of(args[1]), out.resolve("tokenizer.json"));
    Files.writeString(out.resolve("README.md"), "Seeded random weights of Llama 3.2 1B's shape with 3 layers, for timing only.\n");
    Files.writeString(out.resolve("config.json"), config());
    write(out.resolve("model.safetensors"), tensors());
  }

  private static String config() {
    return """
        {
          "architectures": ["LlamaForCausalLM"], "model_type": "llama", "torch_dtype": "bfloat16", "hidden_act": "silu",
          "hidden_size": %d, "intermediate_size": %d, "num_attention_heads": %d, "num_key_value_heads": %d, "head_dim": %d,
          "num_hidden_layers": %d, "vocab_size": %d, "max_position_embeddings": 4096, "rms_norm_eps": 1e-5, "rope_theta": 500000.0,
          "tie_word_embeddings": true, "bos_token_id": 128000, "eos_token_id": 128001
        }
        """
        .formatted(WIDTH, INNER, HEADS, KEY_HEADS, HEAD, LAYERS, VOCABULARY);
  }

  private static List<Tensor> tensors() {
    List<Tensor> all = new ArrayList<>();
    all.add(new Tensor("model.embed_tokens.weight", VOCABULARY, WIDTH));
    for (int i = 0; i < LAYERS; i++) {
      String layer = "model.layers." + i + ".";
      all.add(new Tensor(layer + "input_layernorm.weight", 0, WIDTH));
      all.add(new Tensor(layer + "self_attn.q_proj.weight", HEADS * HEAD, WIDTH));
      all.add(new Tensor(layer + "self_attn.k_proj.weight", KEY_HEADS * HEAD, WIDTH));
      all.add(new Tensor(layer + "self_attn.v_proj.weight", KEY_HEADS * HEAD, WIDTH));
      all.add(new Tensor(layer + "self_attn.o_proj.weight", WIDTH, HEADS * HEAD));
      all.add(new Tensor(layer + "post_attention_layernorm.weight", 0, WIDTH));
      all.add(new Tensor(layer + "mlp.gate_proj.weight", INNER, WIDTH));
      all.add(new Tensor(layer + "mlp.up_proj.weight", INNER, WIDTH));
      all.add(new Tensor(layer + "mlp.down_proj.weight", WIDTH, INNER));
    }
    all.add(new Tensor("model.norm.weight", 0, WIDTH));
    return all;
  }

  private static void write(Path file, List<Tensor> tensors) throws IOException {
    StringBuilder header = new StringBuilder("{");
    long offset = 0;
    for (Tensor tensor : tensors) {
      header.append(offset == 0 ? "" : ",");
      header.append("\"%s\":{\"dtype\":\"BF16\",\"shape\":%s,\"data_offsets\":[%d,%d]}".formatted(tensor.name, tensor.shape(), offset, offset + tensor.bytes()));
      offset += tensor.bytes();
    }
    header.append("}");
    while (header.length() % 8 != 0) {
      header.append(' '); // the format aligns its data to 8 bytes
    }
    byte[] text = header.toString().getBytes(StandardCharsets.UTF_8);
    SplittableRandom random = new SplittableRandom(SEED);
    try (OutputStream out = Files.newOutputStream(file)) {
      out.write(ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(text.length).array());
      out.write(text);
      for (Tensor tensor : tensors) {
        // Uniform in [-limit, limit] has variance limit^2 / 3; a sum over the columns then keeps the variance of its input.
        float limit = (float) Math.sqrt(3.0 / tensor.columns);
        ByteBuffer row = ByteBuffer.allocate(2 * tensor.columns).order(ByteOrder.LITTLE_ENDIAN);
        for (int r = 0; r < Math.max(tensor.rows, 1); r++) {
          row.clear();
          for (int c = 0; c < tensor.columns; c++) {
            float value = tensor.isNorm() ? 1 : limit * (2 * (random.nextInt() >>> 8) * 0x1p-24f - 1);
            row.putShort((short) (Float.floatToRawIntBits(value) >>> 16));
          }
          out.write(row.array());
        }
      }
    }
  }
}
