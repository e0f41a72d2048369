package dev.tigris.os;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A module's permission to reach native memory and to call native functions. Ask for it before the
/// first restricted call: a class that makes one without the permission fails to initialize, with a
/// message that does not name the option.
///
/// Thread rule: any thread.
public final class NativeAccess {
  /// The modules that make restricted calls.
  private static final List<String> MODULES =
      List.of("dev.tigris.os", "dev.tigris.memory", "dev.tigris.net.libfabric");

  private static final NativeAccess OWN = of(new Trial());

  private final @Nullable String obstacle;

  private NativeAccess(@Nullable String obstacle) {
    this.obstacle = obstacle;
  }

  /// The permission of this module.
  public static NativeAccess own() {
    return OWN;
  }

  /// The permission of the module that the class of `trial` belongs to.
  ///
  /// @param trial makes a restricted call
  public static NativeAccess of(Runnable trial) {
    try {
      trial.run();
      return new NativeAccess(null);
    } catch (IllegalCallerException e) {
      return new NativeAccess(
          "this JVM refuses calls of the C library and memory outside the heap: start java with"
              + " --enable-native-access="
              + names());
    }
  }

  private static String names() {
    ModuleLayer layer = NativeAccess.class.getModule().getLayer();
    if (layer == null) {
      return "ALL-UNNAMED";
    }
    return MODULES.stream()
        .filter(name -> layer.findModule(name).isPresent())
        .collect(Collectors.joining(","));
  }

  /// Says why the module lacks the permission, and which option gives it. Empty if it has it.
  public Optional<String> obstacle() {
    return Optional.ofNullable(obstacle);
  }

  /// Does nothing if the module has the permission.
  ///
  /// @throws IllegalCallerException if it does not, with the option that gives it
  public void require() {
    if (obstacle != null) {
      throw new IllegalCallerException(obstacle);
    }
  }

  // SAFETY: bounds: the segment stays empty; lifetime, thread: it is dropped at once.
  private static final class Trial implements Runnable {
    @Override
    @SuppressWarnings("restricted")
    public void run() {
      MemorySegment _ = MemorySegment.NULL.reinterpret(0);
    }
  }
}
