package dev.tigris.memory;

import java.io.Serial;

/// The bytes of a [Utf8] are no text: its length is larger than its capacity, or they are not
/// UTF-8.
public final class CorruptTextException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  CorruptTextException(String message) {
    super(message);
  }
}
