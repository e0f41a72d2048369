package dev.tigris.sort;

import java.nio.file.OpenOption;
import org.jspecify.annotations.Nullable;

/// The JDK's option for direct I/O, which bypasses the page cache.
final class DirectOption {
  /// The option, or null in a run-time image that lacks it. It lives in the module
  /// `jdk.unsupported`, and the compiler warns about any mention of its type; hence by name.
  static final @Nullable OpenOption DIRECT = find();

  private DirectOption() {}

  private static @Nullable OpenOption find() {
    try {
      Class<?> options = Class.forName("com.sun.nio.file.ExtendedOpenOption");
      for (Object option : options.getEnumConstants()) {
        if (option.toString().equals("DIRECT")) {
          return (OpenOption) option;
        }
      }
      return null;
    } catch (ClassNotFoundException e) {
      return null;
    }
  }
}
