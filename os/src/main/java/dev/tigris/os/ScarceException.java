package dev.tigris.os;

import java.io.Serial;

/// The system has no more memory, room or descriptors, until some of it is given back.
public final class ScarceException extends SystemException {
  @Serial private static final long serialVersionUID = 1;

  /// Makes one for an error of the system.
  ScarceException(String what, int error) {
    super(what, error);
  }

  /// Makes one for what has run out in this process.
  ///
  /// @param message what has run out, and what to do about it
  public ScarceException(String message) {
    super(message, NO_MEMORY, null);
  }
}
