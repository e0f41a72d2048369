package dev.tigris.flow.mirror;

import java.io.IOException;

/// A mirrored data set cannot be read or written. The message says which part and why.
public final class MirrorException extends IOException {
  private static final long serialVersionUID = 1;

  MirrorException(String message) {
    super(message);
  }

  MirrorException(String message, Throwable cause) {
    super(message, cause);
  }
}
