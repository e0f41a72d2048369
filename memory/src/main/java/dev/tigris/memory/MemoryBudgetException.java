package dev.tigris.memory;

import java.io.Serial;

/// Thrown when no memory is left for another [Jbuf], even after every unreachable one was
/// reclaimed. The message names the owners and what each holds.
public final class MemoryBudgetException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  MemoryBudgetException(String message) {
    super(message);
  }
}
