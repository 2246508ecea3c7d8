package dev.heddle.codegen.jvm;

import dev.heddle.ir.DType;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.PlanKey.Rows;
import dev.heddle.ir.plan.abi.JvmKernel;
import dev.heddle.ir.plan.abi.Memory;
import dev.heddle.ir.plan.abi.Scratch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Speed of generated products beside plain reading of the same bytes (docs/results/jvm-matvec.md).
 * A program, not a test:
 *
 * <pre>
 * mvn -q -B -pl codegen-jvm -am test-compile
 * java --add-modules jdk.incubator.vector --enable-native-access=ALL-UNNAMED -cp ... dev.heddle.codegen.jvm.MatvecBenchmark
 *     [threads] [MiB of weights] [vector bits] [K] [types, comma separated] [T, comma separated] [step|prompt] [f32|q8_1|both]
 * </pre>
 */
final class MatvecBenchmark {
  private MatvecBenchmark() {}

  private static String argument(String[] args, int i, String otherwise) {
    return args.length > i ? args[i] : otherwise;
  }

  public static void main(String[] args) throws Exception {
    int threads = Integer.parseInt(argument(args, 0, "2"));
    long bytes = Long.parseLong(argument(args, 1, "256")) << 20;
    int bits =
        Integer.parseInt(
            argument(args, 2, "" + Math.min(512, FloatVector.SPECIES_PREFERRED.vectorBitSize())));
    int k = Integer.parseInt(argument(args, 3, "2048"));
    var types = new ArrayList<DType>();
    for (String type :
        argument(args, 4, "f32,f16,bf16,q8_0,q4_0,q4_k,q5_k,q6_k,mxfp4").split(",")) {
      types.add(DType.ofText(type).orElseThrow());
    }
    var batches =
        java.util.Arrays.stream(argument(args, 5, "1").split(",")).map(Integer::valueOf).toList();
    var rows = Rows.valueOf(argument(args, 6, "step").toUpperCase(java.util.Locale.ROOT));
    String inputs = argument(args, 7, "both");
    System.out.printf(
        "%d threads, %d-bit vectors (preferred %s), K = %d%n",
        threads, bits, FloatVector.SPECIES_PREFERRED, k);
    try (var arena = Arena.ofShared()) {
      var weights = arena.allocate(bytes + 64, 64);
      for (DType type : types) {
        fill(weights, type, bytes);
        for (DType input :
            type.isQuantised() ? List.of(DType.F32, DType.Q8_1) : List.of(DType.F32)) {
          if (!inputs.equals("both") && !input.text().equals(inputs)) {
            continue;
          }
          int m = (int) (bytes / type.bytes(k));
          var kernel =
              Kernels.load(
                  new KernelKind.MatmulKernel(rows, Count.TOKENS, type, input, k, m, false, false),
                  bits);
          for (int batch : batches) {
            var x = Blocks.random(input, (long) k * batch, new SplittableRandom(1));
            var xs = arena.allocate(x.length, 64);
            MemorySegment.copy(x, 0, xs, java.lang.foreign.ValueLayout.JAVA_BYTE, 0, x.length);
            var y = arena.allocate(4L * m * batch, 64);
            long size = type.bytes(k) * m;
            var read = time(threads, new Reader(weights.address(), size), batch, 9);
            var best =
                time(
                    threads,
                    new Product(kernel, new long[] {y.address(), weights.address(), xs.address()}),
                    batch,
                    9);
            System.out.printf(
                "%-6s x %-5s T %3d: %6.2f GB/s = %4.0f %% of reading (%5.2f GB/s), %7.1f GFLOP/s; by processor time %6.2f GB/s = %4.0f %% of %5.2f%s%n",
                type.text(),
                input.text(),
                batch,
                size / best.wall / 1e9,
                100 * read.wall / best.wall,
                size / read.wall / 1e9,
                2.0 * k * m * batch / best.wall / 1e9,
                size / best.cpu / 1e9,
                100 * read.cpu / best.cpu,
                size / read.cpu / 1e9,
                best.allocated > 1 << 20
                    ? ", BOXED: a run allocates " + (best.allocated >> 20) + " MiB"
                    : "");
          }
        }
      }
    }
  }

  private static void fill(MemorySegment weights, DType type, long bytes) {
    byte[] some = Blocks.random(type, 256 * 4096, new SplittableRandom(2));
    for (long at = 0; at < bytes; at += some.length) {
      int n = (int) Math.min(some.length, bytes - at);
      MemorySegment.copy(some, 0, weights, java.lang.foreign.ValueLayout.JAVA_BYTE, at, n);
    }
  }

  private interface Work {
    void run(int tokens, int part, int parts);
  }

  private record Product(JvmKernel kernel, long[] address, Scratch[] scratch) implements Work {
    Product(JvmKernel kernel, long[] address) {
      this(
          kernel,
          address,
          java.util.stream.Stream.generate(Scratch::new).limit(64).toArray(Scratch[]::new));
    }

    @Override
    public void run(int tokens, int part, int parts) {
      kernel.run(address, Bench.header(tokens), scratch[part], part, parts);
    }
  }

  private record Reader(long address, long bytes) implements Work {
    @Override
    public void run(int tokens, int part, int parts) {
      long chunk = bytes / 4096;
      for (long i = chunk * part / parts; i < chunk * (part + 1) / parts; i++) {
        if (page(address + 4096 * i) == 42) {
          throw new IllegalStateException("never: keeps the reading alive");
        }
      }
    }

    private static long page(long at) {
      var a = LongVector.zero(LongVector.SPECIES_256);
      var b = a;
      for (long p = at; p < at + 4096; p += 64) {
        a =
            a.lanewise(
                VectorOperators.OR,
                LongVector.fromMemorySegment(
                    LongVector.SPECIES_256, Memory.ALL, p, java.nio.ByteOrder.LITTLE_ENDIAN));
        b =
            b.lanewise(
                VectorOperators.OR,
                LongVector.fromMemorySegment(
                    LongVector.SPECIES_256, Memory.ALL, p + 32, java.nio.ByteOrder.LITTLE_ENDIAN));
      }
      return a.lanewise(VectorOperators.OR, b).reduceLanes(VectorOperators.AND);
    }
  }

  /**
   * Best of {@code times} runs after a warm-up of at least two seconds, and what a run allocates
   * then (boxed vectors).
   */
  private static Time time(int threads, Work work, int tokens, int times) throws Exception {
    var beans =
        (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
    var barrier = new CyclicBarrier(threads);
    var wall = new long[threads][times];
    var cpu = new long[threads][times];
    var allocated = new long[threads];
    long until = System.nanoTime() + 2_000_000_000L;
    var warm = new java.util.concurrent.atomic.AtomicBoolean(true);
    var team = new ArrayList<Thread>();
    for (int part = 0; part < threads; part++) {
      int me = part;
      team.add(
          Thread.ofPlatform()
              .start(() -> {
                try {
                  while (warm.get()) {
                    work.run(tokens, me, threads);
                    if (barrier.await() == 0) {
                      warm.set(System.nanoTime() < until);
                    }
                    barrier.await();
                  }
                  for (int i = 0; i < times; i++) {
                    barrier.await();
                    long start = System.nanoTime();
                    long cpuStart = beans.getCurrentThreadCpuTime();
                    long bytes = beans.getThreadAllocatedBytes(Thread.currentThread().threadId());
                    work.run(tokens, me, threads);
                    allocated[me] =
                        beans.getThreadAllocatedBytes(Thread.currentThread().threadId()) - bytes;
                    cpu[me][i] = beans.getCurrentThreadCpuTime() - cpuStart;
                    barrier.await();
                    wall[me][i] = System.nanoTime() - start;
                  }
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              }));
    }
    for (var thread : team) {
      thread.join();
    }
    return new Time(best(wall), best(cpu), java.util.Arrays.stream(allocated).sum());
  }

  /** Seconds of the best run, each run as long as its slowest thread. */
  private static double best(long[][] nanos) {
    long best = Long.MAX_VALUE;
    for (int i = 0; i < nanos[0].length; i++) {
      long most = 0;
      for (long[] thread : nanos) {
        most = Math.max(most, thread[i]);
      }
      best = Math.min(best, most);
    }
    return best / 1e9;
  }

  private record Time(double wall, double cpu, long allocated) {}
}
