package dev.tigris.memory;

import java.io.Serial;

/// Thrown when a field holds a constant that its enum does not have. A program with another version
/// of the enum wrote it, or the bytes are damaged.
public final class UnknownConstantException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  UnknownConstantException(String message) {
    super(message);
  }
}
