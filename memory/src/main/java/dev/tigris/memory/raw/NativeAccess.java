package dev.tigris.memory.raw;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Whether the JVM lets this module reach native memory and call native functions. It is asked
/// where native calls begin: later, a class would fail to initialize, and say nothing that helps.
final class NativeAccess {
  private static final @Nullable String OBSTACLE = obstacle();

  private NativeAccess() {}

  /// @throws IllegalCallerException if it does not, with the option to start it with
  static void require() {
    if (OBSTACLE != null) {
      throw new IllegalCallerException(OBSTACLE);
    }
  }

  // SAFETY: bounds: the segment stays empty; lifetime, thread: nobody sees it.
  @SuppressWarnings("restricted")
  private static @Nullable String obstacle() {
    try {
      MemorySegment _ = MemorySegment.NULL.reinterpret(0);
      return null;
    } catch (IllegalCallerException e) {
      Module module = NativeAccess.class.getModule();
      String option = module.isNamed() ? module.getName() : "ALL-UNNAMED";
      return "Tigris reaches memory outside the heap, which this JVM was told to refuse: start java"
          + " with --enable-native-access="
          + option;
    }
  }
}
