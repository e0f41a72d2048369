package dev.tigris.net.libfabric.raw;

import dev.tigris.os.SystemException;

/// A function of the library has failed.
public final class LibfabricException extends Exception {
  private static final long serialVersionUID = 1;

  private final int error;

  LibfabricException(String what, int error, String description) {
    super("%s: %s (%d)%s".formatted(what, description, error, SystemException.advice(error)));
    this.error = error;
  }

  /// The library cannot be used at all.
  public LibfabricException(String message) {
    super(message);
    this.error = 0;
  }

  /// The number that the library gives, above zero.
  public int error() {
    return error;
  }
}
