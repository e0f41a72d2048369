package dev.tigris.launcher;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/// A child whose parent stops waiting for it.
class LeashTest {
  /// A lock file that cannot be written, say, while Maven runs.
  @Test
  void endsAChildAfterAnException() {
    var child = new AtomicReference<Process>();
    assertThrows(
        IOException.class,
        () -> {
          child.set(new ProcessBuilder("cat").start());
          try (var _ = new Leash(child.get())) {
            throw new IOException("disk full");
          }
        });
    assertFalse(child.get().isAlive());
  }
}
