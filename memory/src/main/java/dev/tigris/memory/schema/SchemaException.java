package dev.tigris.memory.schema;

import java.io.Serial;

/// A container has another schema than the program that opens it, and in the way it was opened that
/// cannot be overcome; the message names the fields that differ.
public final class SchemaException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  public SchemaException(String message) {
    super(message);
  }
}
