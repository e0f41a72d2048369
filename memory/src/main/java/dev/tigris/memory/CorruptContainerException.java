package dev.tigris.memory;

import java.io.Serial;

/// Bytes that were opened as a [Container], or that a [Schema] has looked at, are none: the header
/// is not valid, the schema in them is none, or [Schema#validate] or a conversion has found a
/// fault, whose field and place the message names.
public final class CorruptContainerException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  /// For whoever brings containers from one place to another, and finds that one is not whole.
  public CorruptContainerException(String message) {
    super(message);
  }
}
