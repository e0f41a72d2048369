package dev.tigris.net.linux;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/// Whether the JVM lets this module call native functions. Providers ask before they do: later, a
/// class would fail to initialize, with a message that helps nobody.
public final class NativeAccess {
  private static final Optional<String> OBSTACLE = find();

  private NativeAccess() {}

  /// Why it does not, with the option to start it with.
  public static Optional<String> obstacle() {
    return OBSTACLE;
  }

  // SAFETY: bounds: the segment stays empty; lifetime, thread: nobody sees it.
  @SuppressWarnings("restricted")
  private static Optional<String> find() {
    try {
      MemorySegment _ = MemorySegment.NULL.reinterpret(0);
      return Optional.empty();
    } catch (IllegalCallerException e) {
      Module module = NativeAccess.class.getModule();
      String option = module.isNamed() ? module.getName() : "ALL-UNNAMED";
      return Optional.of(
          "this JVM was told to refuse calls of the C library: start java with"
              + " --enable-native-access="
              + option);
    }
  }
}
