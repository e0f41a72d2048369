package dev.tigris.memory;

import java.io.Serial;

/// A [Jbuf] was to be freed, or viewed, while views of it may still be in use.
public final class ReferencedException extends IllegalStateException {
  @Serial private static final long serialVersionUID = 1;

  ReferencedException(String message) {
    super(message);
  }
}
