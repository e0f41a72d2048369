package dev.tigris.memory;

import java.io.Serial;

/// Bytes that were opened as a [Container] do not begin with a valid header.
public final class CorruptContainerException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  CorruptContainerException(String message) {
    super(message);
  }
}
