package dev.heddle.ir.bundle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.heddle.ir.DType;
import dev.heddle.ir.Dim;
import dev.heddle.ir.Op;
import dev.heddle.ir.TensorType;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.KernelKind.Count;
import dev.heddle.ir.plan.LaunchShape;
import dev.heddle.ir.plan.Plan;
import dev.heddle.ir.plan.PlanKey;
import dev.heddle.ir.plan.Resources;
import dev.heddle.ir.plan.RopeTable;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RecordJsonTest {
  private static final long SEED = 20260101;

  private final RecordJson json = new RecordJson();
  private final SplittableRandom random = new SplittableRandom(SEED);

  @Test
  void everyKernelKindRoundTrips() throws ReflectiveOperationException {
    Class<?>[] kinds = KernelKind.class.getPermittedSubclasses();
    for (Class<?> kind : kinds) {
      for (int i = 0; i < 5; i++) {
        var kernel = new Manifest.Kernel("k", (KernelKind) sample(kind));
        byte[] text = json.write(kernel, false);
        assertEquals(
            kernel,
            json.read(text, Manifest.Kernel.class, "test"),
            () -> "seed " + SEED + ": " + kind);
      }
    }
  }

  @Test
  void everyRopeScalingRoundTrips() throws ReflectiveOperationException {
    for (Class<?> kind : Op.RopeScaling.class.getPermittedSubclasses()) {
      var table = new RopeTable(64, 1e6, (Op.RopeScaling) sample(kind), "rope_freqs.weight");
      assertEquals(table, json.read(json.write(table, true), RopeTable.class, "test"));
    }
  }

  @Test
  void kernelIsWrittenWithItsKindFirst() {
    var kernel =
        new Manifest.Kernel("Norm", new KernelKind.L2NormKernel(Count.OUT_ROWS, 2, 64, 1e-6));
    assertEquals(
        "{\"name\":\"Norm\",\"kind\":{\"kind\":\"l2_norm\",\"count\":\"OUT_ROWS\",\"perRow\":2,\"n\":64,\"eps\":1.0E-6}}",
        text(json.write(kernel, false)));
  }

  @Test
  void planIsWrittenCompactly() {
    assertEquals(
        "{\"key\":{\"rows\":\"STEP\",\"tokens\":1,\"outRows\":1},\"arenaBytes\":128,\"buffers\":["
            + "{\"id\":0,\"node\":3,\"result\":0,\"type\":{\"dtype\":\"F32\",\"shape\":{\"dims\":[\"T\",8]},\"layout\":\"ROWS\"},"
            + "\"offset\":0,\"bytes\":32,\"firstStep\":0,\"lastStep\":1},"
            + "{\"id\":1,\"node\":4,\"result\":0,\"type\":{\"dtype\":\"F32\",\"shape\":{\"dims\":[\"T\",8]},\"layout\":\"ROWS\"},"
            + "\"offset\":64,\"bytes\":32,\"firstStep\":0,\"lastStep\":1}],"
            + "\"steps\":[{\"kernel\":0,\"args\":[{\"kind\":\"buf\",\"buffer\":0,\"byteOffset\":0},"
            + "{\"kind\":\"weight\",\"tensor\":\"token_embd.weight\",\"rowFrom\":0,\"rowTo\":8},"
            + "{\"kind\":\"state\",\"name\":\"blk.0.k\"},{\"kind\":\"table\",\"table\":0}],\"nodes\":[4],\"layer\":-1}],"
            + "\"outputs\":[{\"name\":\"logits\",\"buffer\":1}]}",
        text(json.write(SmallBundle.plan(), false)));
    assertEquals(
        SmallBundle.plan(), json.read(json.write(SmallBundle.plan(), false), Plan.class, "test"));
  }

  @Test
  void manifestRoundTrips() {
    assertEquals(
        SmallBundle.manifest(),
        json.read(json.write(SmallBundle.manifest(), true), Manifest.class, "test"));
  }

  @Test
  void infiniteBoundsRoundTrip() {
    var clamp =
        new KernelKind.UnaryKernel(
            Count.TOKENS,
            4,
            KernelKind.Unary.CLAMP,
            Double.NEGATIVE_INFINITY,
            Double.POSITIVE_INFINITY);
    var kernel = new Manifest.Kernel("Clamp", clamp);
    assertEquals(kernel, json.read(json.write(kernel, false), Manifest.Kernel.class, "test"));
  }

  @Test
  void kernelOfAGpuKeepsItsLaunchAndItsResources() {
    var kernel =
        new Manifest.Kernel(
            "take_rows_64",
            new KernelKind.TakeRowsKernel(64),
            new LaunchShape(1, 1, 64, 0),
            new Resources(14, 0, 0, ""));
    assertEquals(kernel, json.read(json.write(kernel, false), Manifest.Kernel.class, "test"));
  }

  @Test
  void kernelOfTheJvmHasNeitherField() {
    var kernel = new Manifest.Kernel("TakeRows0", new KernelKind.TakeRowsKernel(64));
    assertEquals(
        "{\"name\":\"TakeRows0\",\"kind\":{\"kind\":\"take_rows\",\"n\":64}}",
        text(json.write(kernel, false)));
  }

  @Test
  void unknownKindIsNamed() {
    assertFault(
        "{\"name\":\"k\",\"kind\":{\"kind\":\"warp\"}}", "unknown kind \"warp\" of KernelKind");
  }

  @Test
  void kindMustStandFirst() {
    assertFault(
        "{\"name\":\"k\",\"kind\":{\"n\":1,\"kind\":\"take_rows\"}}",
        "a KernelKind starts with the field \"kind\"");
  }

  @Test
  void unknownFieldIsNamed() {
    assertFault(
        "{\"name\":\"k\",\"kind\":{\"kind\":\"take_rows\",\"n\":1,\"m\":2}}",
        "unknown field \"m\" of a TakeRowsKernel");
  }

  @Test
  void missingFieldIsNamed() {
    assertFault(
        "{\"name\":\"k\",\"kind\":{\"kind\":\"take_rows\"}}",
        "field \"n\" of a TakeRowsKernel is missing");
  }

  @Test
  void fieldThatStandsTwiceIsNamed() {
    assertFault(
        "{\"name\":\"k\",\"kind\":{\"kind\":\"take_rows\",\"n\":1,\"n\":2}}",
        "\"n\" stands twice in a TakeRowsKernel");
  }

  @Test
  void unknownEnumValueListsTheKnownOnes() {
    assertFault(
        "{\"name\":\"k\",\"kind\":{\"kind\":\"quantise\",\"count\":\"ROWS\"}}",
        "unknown Count \"ROWS\" (known: TOKENS, OUT_ROWS)");
  }

  @Test
  void numberTooLargeForItsFieldIsRefused() {
    assertFault(
        "{\"name\":\"k\",\"kind\":{\"kind\":\"take_rows\",\"n\":5000000000}}", "is damaged JSON");
  }

  @Test
  void textAfterTheEndIsRefused() {
    assertFault(
        "{\"name\":\"k\",\"kind\":{\"kind\":\"take_rows\",\"n\":1}} {}",
        "there is text after the end");
  }

  @Test
  void plansOfADeepModelAreReadQuickly() {
    var type = TensorType.f32(Dim.T, Dim.of(4096));
    var buffers = new ArrayList<Plan.Buffer>();
    var steps = new ArrayList<Plan.Launch>();
    for (int i = 0; i < 94 * 20; i++) {
      buffers.add(new Plan.Buffer(i, i, 0, type, 64L * i, 16384, i, i + 1));
      List<Plan.Arg> args =
          List.of(
              new Plan.Arg.Buf(i, 0),
              new Plan.Arg.Weight("blk." + i / 20 + ".ffn_gate_exps.weight", 0, 196608),
              new Plan.Arg.Buf(i, 0),
              new Plan.Arg.Buf(i, 0));
      steps.add(new Plan.Launch(i % 40, args, List.of(i, i + 1), i / 20));
    }
    Plan plan =
        new Plan(
            new PlanKey(PlanKey.Rows.STEP, 1, 1),
            1 << 20,
            buffers,
            steps,
            List.of(new Plan.Output("logits", 1)));
    byte[] text = json.write(plan, false);
    long start = System.nanoTime();
    Plan read = json.read(text, Plan.class, "test");
    long millis = (System.nanoTime() - start) / 1_000_000;
    assertEquals(plan, read);
    // Measured 20 to 60 ms cold; the bound leaves room for a busy machine.
    assertTrue(millis < 1000, text.length + " bytes took " + millis + " ms");
  }

  private void assertFault(String text, String sentence) {
    var e =
        assertThrows(
            BundleException.class,
            () -> json.read(bytes(text), Manifest.Kernel.class, "x.bundle, manifest.json"));
    assertTrue(e.getMessage().startsWith("x.bundle, manifest.json"), e.getMessage());
    assertTrue(e.getMessage().contains(sentence), e.getMessage());
  }

  /** A record with random components. */
  private Object sample(Class<?> record) throws ReflectiveOperationException {
    RecordComponent[] components = record.getRecordComponents();
    var types = new Class<?>[components.length];
    var values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      values[i] = value(types[i]);
    }
    return record.getDeclaredConstructor(types).newInstance(values);
  }

  private Object value(Class<?> type) throws ReflectiveOperationException {
    if (type.isEnum()) {
      Object[] all = type.getEnumConstants();
      return all[random.nextInt(all.length)];
    }
    if (type.isRecord()) {
      return sample(type);
    }
    if (type.isSealed()) {
      Class<?>[] kinds = type.getPermittedSubclasses();
      return sample(kinds[random.nextInt(kinds.length)]);
    }
    return switch (type.getSimpleName()) {
      case "int" -> random.nextInt(1, 1 << 20);
      case "long" -> random.nextLong(1L << 40);
      case "double" -> Double.longBitsToDouble(random.nextLong());
      case "boolean" -> random.nextBoolean();
      case "String" -> "s" + random.nextInt();
      case "List" -> List.of(random.nextInt(100));
      case "DType" -> DType.Q4_K;
      default -> throw new IllegalStateException("no sample of " + type);
    };
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
