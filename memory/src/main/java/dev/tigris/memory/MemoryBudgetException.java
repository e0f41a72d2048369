package dev.tigris.memory;

import java.io.Serial;

/// There is no memory left for another [Jbuf], even after everything unreachable was reclaimed.
/// The message says who holds what.
public final class MemoryBudgetException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  MemoryBudgetException(String message) {
    super(message);
  }
}
