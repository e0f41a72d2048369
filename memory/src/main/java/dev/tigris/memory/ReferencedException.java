package dev.tigris.memory;

import java.io.Serial;

/// Thrown when a [Jbuf] is freed or viewed while earlier views of it may still be in use.
public final class ReferencedException extends IllegalStateException {
  @Serial private static final long serialVersionUID = 1;

  ReferencedException(String message) {
    super(message);
  }
}
