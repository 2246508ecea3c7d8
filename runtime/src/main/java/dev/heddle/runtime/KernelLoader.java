package dev.heddle.runtime;

import dev.heddle.ir.bundle.Bundle;
import dev.heddle.ir.bundle.BundleException;
import dev.heddle.ir.bundle.Manifest;
import dev.heddle.ir.plan.abi.JvmKernel;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Defines a bundle's kernel classes: straight from their bytes, no compiler. One loader a bundle.
 */
final class KernelLoader extends ClassLoader {
  private KernelLoader() {
    super("heddle-kernels", KernelLoader.class.getClassLoader());
  }

  /** The kernels in the manifest's order. */
  static List<JvmKernel> load(Bundle bundle) {
    var loader = new KernelLoader();
    Map<String, JvmKernel> made = new HashMap<>();
    List<JvmKernel> kernels = new ArrayList<>();
    for (Manifest.Kernel kernel : bundle.manifest().kernels()) {
      kernels.add(made.computeIfAbsent(kernel.name(), name -> loader.make(bundle, name)));
    }
    return kernels;
  }

  private JvmKernel make(Bundle bundle, String name) {
    byte[] bytes = bundle.kernelBinary(name);
    try {
      Class<?> defined = defineClass(null, bytes, 0, bytes.length);
      return (JvmKernel) defined.getConstructor().newInstance();
    } catch (LinkageError
        | ClassCastException
        | NoSuchMethodException
        | InstantiationException
        | IllegalAccessException e) {
      throw damaged(bundle, name, e);
    } catch (InvocationTargetException e) {
      throw damaged(bundle, name, e.getCause());
    }
  }

  private static BundleException damaged(Bundle bundle, String name, Throwable cause) {
    return new BundleException(
        bundle.name()
            + ", kernel "
            + name
            + " cannot be used on this Java ("
            + cause
            + "); compile the model again",
        cause);
  }
}
