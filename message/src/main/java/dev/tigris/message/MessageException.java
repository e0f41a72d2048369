package dev.tigris.message;

import org.jspecify.annotations.Nullable;

/// A peer could not be mapped, or the operating system failed.
public final class MessageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// Makes one.
  ///
  /// @param message what was tried, with whom, what happened, and what can be done about it
  /// @param cause null if there is no other exception behind it
  public MessageException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
