package dev.tigris.flow.text;

import org.jspecify.annotations.Nullable;

/// Refuses text that is not what it was taken for: a row with too many fields, a number that is
/// none, a quote without an end. The message names the file, where in it the row begins, and what
/// to do.
public final class TextException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// Makes one with a message.
  public TextException(String message) {
    super(message);
  }

  /// Makes one with a message and the exception that it comes from.
  public TextException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
