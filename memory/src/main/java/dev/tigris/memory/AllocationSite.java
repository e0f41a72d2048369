package dev.tigris.memory;

import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Where a Jbuf was allocated, for finding out who forgot to free it. Found out on request only,
/// `-Dtigris.memory.sites=true`, because it takes longer than allocating.
final class AllocationSite {
  static final String PROPERTY = "tigris.memory.sites";

  private static final boolean WANTED = Boolean.getBoolean(PROPERTY);

  /// What allocates is often called by something that only passes buffers on.
  private static final int FRAMES = 3;

  private AllocationSite() {}

  /// The callers outside of this package, the innermost first, as
  /// `app.Reader.open(Reader.java:40) < app.Main.run(Main.java:12)`; null if nobody asked for it.
  static @Nullable String ofCaller() {
    if (!WANTED) {
      return null;
    }
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames
                    .dropWhile(AllocationSite::isOurs)
                    .limit(FRAMES)
                    .map(AllocationSite::describe)
                    .collect(Collectors.joining(" < ")));
  }

  private static boolean isOurs(StackWalker.StackFrame frame) {
    String name = frame.getClassName();
    return name.substring(0, Math.max(0, name.lastIndexOf('.')))
        .equals(AllocationSite.class.getPackageName());
  }

  private static String describe(StackWalker.StackFrame frame) {
    return "%s.%s(%s:%d)"
        .formatted(
            frame.getClassName(),
            frame.getMethodName(),
            frame.getFileName(),
            frame.getLineNumber());
  }
}
