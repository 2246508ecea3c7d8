package dev.heddle.codegen.gpu;

import dev.heddle.codegen.tool.HostToolchain;
import dev.heddle.codegen.tool.Tool;
import dev.heddle.codegen.tool.WorkFolder;
import dev.heddle.ir.plan.LaunchShape;
import dev.heddle.ir.plan.PlanKey;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Compiles the bodies of cases into one program and runs it. */
final class HostRun implements AutoCloseable {
  private final List<KernelCase> cases;
  private final GpuSource source;
  private final WorkFolder work = new WorkFolder();
  private final Tool compiler = HostToolchain.find(System.getenv()).compiler();

  HostRun(List<KernelCase> cases, PlanKey key) {
    this.cases = cases;
    source =
        GpuCodegen.generate(Dialect.host(), cases.stream().map(KernelCase::kind).toList(), key);
  }

  GpuSource source() {
    return source;
  }

  /** A program with these flags beside the usual ones. */
  Path program(String name, List<String> flags) throws IOException {
    try (InputStream runner = HostRun.class.getResourceAsStream("host_runner.cpp")) {
      String text = source.text() + new String(runner.readAllBytes(), StandardCharsets.UTF_8);
      List<String> arguments = new ArrayList<>(HostToolchain.flags());
      arguments.addAll(flags);
      arguments.addAll(
          List.of(
              "-rdynamic",
              work.write(name + ".cpp", text).toString(),
              "-o",
              work.file(name).toString(),
              "-ldl"));
      compiler.require(compiler.run(arguments), arguments);
      return work.file(name);
    }
  }

  /** What each case leaves in its output, or one message when the program fails. */
  List<byte[]> run(Path program, boolean reverse) throws IOException {
    Path in = work.file("launches");
    Path out = work.file("memory");
    Files.write(in, launches());
    Tool.Output output =
        new Tool(program).run(List.of(reverse ? "1" : "0", in.toString(), out.toString()));
    if (output.status() != 0) {
      throw new AssertionError(
          program.getFileName() + " ended with " + output.status() + ":\n" + output.error());
    }
    ByteBuffer memory = ByteBuffer.wrap(Files.readAllBytes(out));
    List<byte[]> outputs = new ArrayList<>();
    for (KernelCase c : cases) {
      for (int i = 0; i < c.arguments().size(); i++) {
        byte[] bytes = new byte[c.arguments().get(i).length];
        memory.get(bytes);
        if (i == c.output()) {
          outputs.add(bytes);
        }
      }
    }
    return outputs;
  }

  private byte[] launches() {
    int size = 4;
    for (KernelCase c : cases) {
      size += 200 + c.arguments().stream().mapToInt(a -> a.length + 8).sum();
    }
    ByteBuffer file = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN).putInt(cases.size());
    for (int i = 0; i < cases.size(); i++) {
      GpuKernel kernel = source.kernels().get(i);
      byte[] name = kernel.name().getBytes(StandardCharsets.US_ASCII);
      LaunchShape shape = kernel.shape();
      file.putInt(name.length)
          .put(name)
          .putInt(shape.gridX())
          .putInt(shape.gridY())
          .putInt(shape.blockX());
      file.putInt(cases.get(i).arguments().size());
      cases.get(i).arguments().forEach(a -> file.putLong(a.length).put(a));
    }
    byte[] bytes = new byte[file.position()];
    file.flip().get(bytes);
    return bytes;
  }

  @Override
  public void close() {
    work.close();
  }
}
