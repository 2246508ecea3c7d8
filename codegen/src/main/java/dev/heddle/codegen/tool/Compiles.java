package dev.heddle.codegen.tool;

import dev.heddle.codegen.gpu.GpuSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Compiles for several chips at once. */
public final class Compiles {
  private Compiles() {}

  /** A source for a chip. */
  public record Job(Toolchain toolchain, GpuSource source) {}

  /**
   * All modules, in the order of the jobs; as many compilers run at once as there are cores.
   *
   * @throws RuntimeException the first job's that failed
   */
  public static List<GpuModule> run(List<Job> jobs) {
    int atOnce = Math.clamp(jobs.size(), 1, Runtime.getRuntime().availableProcessors());
    try (ExecutorService executor = Executors.newFixedThreadPool(atOnce)) {
      List<Future<GpuModule>> running =
          jobs.stream()
              .map(job -> executor.submit(() -> job.toolchain().compile(job.source())))
              .toList();
      List<GpuModule> modules = new ArrayList<>();
      for (Future<GpuModule> module : running) {
        modules.add(module.get());
      }
      return modules;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("the compiles were interrupted", e);
    }
  }
}
