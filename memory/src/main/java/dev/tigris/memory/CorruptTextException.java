package dev.tigris.memory;

import java.io.Serial;

/// Thrown when the stored bytes of a [Utf8] are not a text: the length is larger than the capacity,
/// or the bytes are not UTF-8.
public final class CorruptTextException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  CorruptTextException(String message) {
    super(message);
  }
}
