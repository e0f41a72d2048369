package dev.tigris.memory;

import java.io.Serial;

/// Thrown when bytes are not a valid [Container]: the header or the schema in them is not valid, or
/// [dev.tigris.memory.schema.Schema#validate] or a conversion has found a fault. The message then
/// names its field and place.
public final class CorruptContainerException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  /// Makes an exception for code that transports containers and finds one incomplete.
  public CorruptContainerException(String message) {
    super(message);
  }
}
