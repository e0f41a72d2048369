package dev.tigris.cluster;

import dev.tigris.memory.Jbuf;
import dev.tigris.testing.Wait;
import java.time.Duration;

/// The memory that streams hold, outside the heap.
final class StreamMemory {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private StreamMemory() {}

  private static long held() {
    return Jbuf.use().bytesByOwner().values().stream().mapToLong(Long::longValue).sum();
  }

  /// Requires that all is given back. Those that hold a run hold the memory of its streams, so that
  /// comes when all are over.
  static void requireNone() {
    Wait.until(
        () -> "memory is held: " + Jbuf.use(),
        PATIENCE,
        () -> {
          if (held() > 0) {
            System.gc();
          }
          return held() == 0;
        });
  }
}
