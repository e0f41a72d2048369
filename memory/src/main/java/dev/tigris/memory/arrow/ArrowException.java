package dev.tigris.memory.arrow;

import java.io.IOException;
import java.io.Serial;

/// Thrown when an Arrow file or stream is damaged, holds something that is not supported, or does
/// not fit the class of objects that it is read into. The message names the column and the row
/// where it can.
public final class ArrowException extends IOException {
  @Serial private static final long serialVersionUID = 1;

  ArrowException(String message) {
    super(message);
  }

  ArrowException(String message, Throwable cause) {
    super(message, cause);
  }
}
