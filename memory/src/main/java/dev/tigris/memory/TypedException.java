package dev.tigris.memory;

import java.io.Serial;

/// A [Jbuf] was asked for a view of another type than the one that it is referenced as.
public final class TypedException extends IllegalStateException {
  @Serial private static final long serialVersionUID = 1;

  TypedException(String message) {
    super(message);
  }
}
