package dev.tigris.memory;

/// Thrown when the bytes of a reference cannot be an object of the declared class: the offset is
/// outside the container, in its header, or not a multiple of eight.
public final class CorruptReferenceException extends RuntimeException {
  private static final long serialVersionUID = 1;

  CorruptReferenceException(String message) {
    super(message);
  }
}
