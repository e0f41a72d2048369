package dev.tigris.memory;

import java.io.Serial;

/// A [Jbuf] was used after it had been freed.
public final class FreedException extends IllegalStateException {
  @Serial private static final long serialVersionUID = 1;

  FreedException(String message) {
    super(message);
  }
}
