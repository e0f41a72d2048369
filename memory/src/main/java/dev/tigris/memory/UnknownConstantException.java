package dev.tigris.memory;

import java.io.Serial;

/// A field holds a constant that its enum does not have: it was written by a program whose enum
/// has more constants or other names, or the bytes are damaged.
public final class UnknownConstantException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  UnknownConstantException(String message) {
    super(message);
  }
}
