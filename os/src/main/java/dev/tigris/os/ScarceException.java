package dev.tigris.os;

import java.io.IOException;
import java.io.Serial;

/// The system has no more of something, until some of it is given back.
public final class ScarceException extends IOException {
  @Serial private static final long serialVersionUID = 1;

  /// @param message what, and what to do about it
  public ScarceException(String message) {
    super(message);
  }
}
