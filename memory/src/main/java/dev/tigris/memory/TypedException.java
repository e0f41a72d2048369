package dev.tigris.memory;

import java.io.Serial;

/// Thrown when a [Jbuf] or a [PsoArray] is viewed as another type than its own.
public final class TypedException extends IllegalStateException {
  @Serial private static final long serialVersionUID = 1;

  TypedException(String message) {
    super(message);
  }
}
