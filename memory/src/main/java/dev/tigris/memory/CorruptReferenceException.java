package dev.tigris.memory;

import java.io.Serial;

/// Thrown when the bytes of a reference cannot be an object of the declared class: the offset is
/// outside the container, in its header, or not a multiple of eight.
public final class CorruptReferenceException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  CorruptReferenceException(String message) {
    super(message);
  }
}
