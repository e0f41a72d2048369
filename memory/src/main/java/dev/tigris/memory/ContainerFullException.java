package dev.tigris.memory;

import java.io.Serial;

/// Thrown when a [Container] has no room for another object, or a [PsoCollection] for another
/// element.
public final class ContainerFullException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  public ContainerFullException(String message) {
    super(message);
  }
}
