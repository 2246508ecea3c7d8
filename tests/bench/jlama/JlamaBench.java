import com.github.tjake.jlama.model.AbstractModel;
import com.github.tjake.jlama.model.ModelSupport;
import com.github.tjake.jlama.safetensors.DType;
import com.github.tjake.jlama.safetensors.SafeTensorSupport;
import com.github.tjake.jlama.tensor.AbstractTensor;
import com.github.tjake.jlama.tensor.KvBufferCache;
import com.github.tjake.jlama.tensor.operations.TensorOperationsProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * Tokens a second of Jlama: Q4 weights, I8 activations, prompt and decode with the logits of the last position, by its public forward pass (without
 * its tokenizer, and never stopped by an end-of-text token). Its native library is used when its jar is on the class path. Prints one line:
 * {@code prompt T/S decode T/S OPERATIONS}, medians of the rounds after one that warms up with a prompt of WARM tokens. Usage:
 * {@code JlamaBench MODEL_DIR THREADS PROMPT GENERATE ROUNDS WARM}, or {@code JlamaBench quantize MODEL_DIR OUT_DIR SKIPPED_NAMES}.
 */
final class JlamaBench {
  private static final int VOCABULARY = 128256;

  @SuppressWarnings("rawtypes") // the tensors' type arguments are types of an incubator module, which need not be named here
  public static void main(String[] args) throws IOException {
    if (args[0].equals("quantize")) {
      SafeTensorSupport.quantizeModel(Path.of(args[1]), DType.Q4, args[3].split(","), new String[0], Optional.of(Path.of(args[2])));
      return;
    }
    int threads = Integer.parseInt(args[1]);
    int prompt = Integer.parseInt(args[2]);
    int generate = Integer.parseInt(args[3]);
    int rounds = Integer.parseInt(args[4]);
    int warm = Integer.parseInt(args[5]);
    AbstractModel model = ModelSupport.loadModel(Path.of(args[0]).toFile(), null, DType.F32, DType.I8, Optional.empty(), Optional.of(threads));
    int[] ids = new int[prompt];
    Arrays.setAll(ids, i -> (i * 7 + 1) % VOCABULARY);
    double[] prompts = new double[rounds];
    double[] decodes = new double[rounds];
    KvBufferCache cache = new KvBufferCache(model);
    try (AbstractTensor logits = model.makeDenseTensor(VOCABULARY)) {
      for (int round = -1; round < rounds; round++) { // round -1 warms up
        double promptRate;
        try (KvBufferCache.KvBuffer kv = cache.getEphemeralKvBuffer()) {
          long from = System.nanoTime();
          AbstractTensor last = model.batchForward(round < 0 ? Arrays.copyOf(ids, warm) : ids, 0, kv);
          model.sample(last.slice(last.shape().first() - 1), 0, 0, logits);
          last.close();
          promptRate = prompt * 1e9 / (System.nanoTime() - from);
        }
        try (KvBufferCache.KvBuffer kv = cache.getEphemeralKvBuffer()) {
          long from = System.nanoTime();
          for (int i = 0; i < generate; i++) {
            AbstractTensor last = model.forward((i * 7 + 1) % VOCABULARY, i, kv, Optional.empty());
            model.sample(last, 0, 0, logits);
            last.close();
          }
          if (round >= 0) {
            prompts[round] = promptRate;
            decodes[round] = generate * 1e9 / (System.nanoTime() - from);
          }
        }
      }
    }
    Arrays.sort(prompts);
    Arrays.sort(decodes);
    System.out.printf(
        Locale.ROOT,
        "prompt %.2f decode %.2f %s%n",
        prompts[rounds / 2],
        decodes[rounds / 2],
        TensorOperationsProvider.get().name().replace(' ', '-'));
    System.exit(0); // its pool's threads are not daemons
  }
}
