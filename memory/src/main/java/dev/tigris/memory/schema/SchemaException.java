package dev.tigris.memory.schema;

import java.io.Serial;

/// Thrown when a container keeps another schema than the program has, and cannot be converted in
/// the way it was opened. The message names the fields that differ.
public final class SchemaException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  public SchemaException(String message) {
    super(message);
  }
}
