package dev.tigris.memory;

import java.io.Serial;

/// Thrown when a [Jbuf] is used after it was freed.
public final class FreedException extends IllegalStateException {
  @Serial private static final long serialVersionUID = 1;

  FreedException(String message) {
    super(message);
  }
}
